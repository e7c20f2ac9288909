// Makes the stubs of the wheel: the types of phasor.py's modules, functions, options and results, read from
// the JSDoc that its documentation comes from. Modules are classes there: of a ModuleType every name is allowed.

import { api } from "./api.js";
import { documentation, long, nameOf, snake } from "./python.js";

/** @import { Type } from "./api.js" */
/** @import { Entry } from "./python.js" */

/** NumPy's names of what typed arrays hold. @type {Record<string, string>} */
const DTYPES = {
  Float32Array: "float32",
  Float64Array: "float64",
  Int8Array: "int8",
  Uint8Array: "uint8",
  Uint16Array: "uint16",
  Int32Array: "int32",
  Uint32Array: "uint32",
};

const HEAD = `# Made from the JSDoc of the JavaScript. Classes that phasor.py does not have itself are the types of modules
# and results: a result of several parts is a named tuple.

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

__version__: str
URL: str
DOCUMENTATION: dict[str, tuple[list[str], list[str], str]]

#: An array, or nested lists of numbers.
Input: TypeAlias = NDArray[Any] | Buffer | Sequence[Any]

#: Named values: a dict, or a named tuple that another function returned.
Fields: TypeAlias = Mapping[str, Any] | tuple[Any, ...]

#: A number in a result: an int where it is whole, else a float.
Number: TypeAlias = Any

async def load(url: str = ..., wasm: str | None = None) -> Phasor: ...

class Resident:
    def dispose(self) -> None: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *_: object) -> None: ...

class Figure(str):
    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]: ...

class RangeError(ValueError, IndexError): ...

def _camel(name: str) -> str: ...
def _javascript(value: Any, names: bool = False) -> Any: ...
def _open(proxy: Any) -> Any: ...
def _translated(error: Any, path: str) -> Exception: ...
`;

const PACKAGE = `import sys

from .phasor import Figure as Figure
from .phasor import Phasor as Phasor
from .phasor import RangeError as RangeError
from .phasor import Resident as Resident
from .widget import Widget as Widget
from .widget import numbers as numbers

__version__: str

if sys.platform == "emscripten":
    async def load(url: str = ..., wasm: str | None = None) -> Phasor: ...
else:
    from .oracle import check as check
    from .oracle import identify as identify
    from .oracle import xray as xray

    def load() -> Phasor: ...
`;

/**
 * The stubs by the names of their files.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function stubs() {
  const read = await api();
  const writer = new Writer(read.types, documentation(read));
  const modules = [...writer.documentation.keys()].filter((path) => /^\w+$/.test(path));
  const attributes = modules.map((path) => `    ${path}: ${writer.module(path)}`);
  const wait = "    def __await__(self) -> Generator[Any, None, Phasor]: ...";
  const phasor = ["class Phasor:", wait, ...attributes].join("\n");
  return {
    "__init__.pyi": PACKAGE,
    "phasor.pyi": `${[HEAD.trimEnd(), ...writer.classes, phasor].join("\n\n")}\n`,
  };
}

class Writer {
  /** Classes as text. @type {string[]} */
  classes = [];

  /** Types that already have a class, and its name. @type {Map<Type, string>} */
  #named = new Map();

  /** The functions that create objects with methods. @type {Map<Type, string>} */
  #makers = new Map();

  /** @type {Set<string>} */
  #taken = new Set(["Phasor", "Resident", "Figure", "RangeError", "Input", "Fields", "Number"]);

  /** @param {Type[]} types @param {Map<string, Entry>} documentation */
  constructor(types, documentation) {
    this.types = types;
    this.documentation = documentation;
    for (const [path, { of }] of documentation) {
      const made = types[of];
      if (made && this.#isResident(made) && !this.#makers.has(made)) this.#makers.set(made, path);
    }
  }

  /** Writes the class of a module. @param {string} path @returns {string} its name */
  module(path) {
    const name = this.#free(`${pascal(path)}Module`);
    const isFunction = this.#told(path).of >= 0;
    const call = isFunction ? this.#method("__call__", path, true) : [];
    this.#write(name, "", [...call, ...this.#members(path, !isFunction)]);
    return name;
  }

  /** @param {string} wanted */
  #free(wanted) {
    let name = wanted;
    for (let n = 2; this.#taken.has(name); ++n) name = `${wanted}${n}`;
    this.#taken.add(name);
    return name;
  }

  /** @param {string} name @param {string} base @param {string[]} lines */
  #write(name, base, lines) {
    const body = lines.length > 0 ? lines.map((line) => line && `    ${line}`) : ["    ..."];
    this.classes.push([`class ${name}${base && `(${base})`}:`, ...body].join("\n"));
  }

  /** @param {string} path @param {boolean} isStatic  whether functions have no self */
  #members(path, isStatic) {
    return this.#told(path).members.flatMap((member) => {
      const name = snake(nameOf(member));
      const within = this.documentation.get(`${path}.${name}`)?.members ?? [];
      if (isStatic && within.length > 0) return [`${name}: ${this.module(`${path}.${name}`)}`];
      if (member.kind === "function") return this.#method(name, `${path}.${name}`, !isStatic);
      if (!isStatic) return [`${name}: ${this.#result(member.of, path)}`];
      return [`${name}: ${this.types[member.of].list ? "list[Any]" : "dict[str, Any]"}`];
    });
  }

  /** @param {string} path */
  #told = (path) => /** @type {Entry} */ (this.documentation.get(path));

  /** @param {string} name @param {string} path @param {boolean} hasSelf */
  #method(name, path, hasSelf) {
    const { parameters, options, text, given, kept, of } = this.#told(path);
    const list = [
      ...(hasSelf ? ["self"] : []),
      ...parameters.map((parameter, i) => {
        const type = this.#argument(given[i].of);
        return parameter.endsWith("=")
          ? `${parameter.slice(0, -1)}: ${optional(type)} = None`
          : `${parameter}: ${type}`;
      }),
      ...(options.length > 0 ? ["*"] : []),
      ...options.map((name, i) => `${name}: ${optional(this.#argument(kept[i].of))} = None`),
    ];
    const result = path.startsWith("plots.") ? "Figure" : this.#result(of, path);
    return [
      ...(hasSelf ? [] : ["@staticmethod"]),
      `def ${name}(`,
      ...list.map((each) => `    ${each},`),
      `) -> ${result}:`,
      ...(text ? long(text).split("\n") : ["..."]).map((line) => line && `    ${line}`),
    ];
  }

  /** @param {number} of @returns {Type[]} */
  #union(of) {
    const { union } = this.types[of];
    return union ? union.flatMap((each) => this.#union(each)) : [this.types[of]];
  }

  /** What Python accepts for a type. @param {number} of @returns {string} */
  #argument(of) {
    return joined(this.#union(of).map((each) => this.#accepted(each)));
  }

  /** @param {Type} type */
  #accepted(type) {
    if (type.within) return joined(type.within.map((each) => this.#argument(each)));
    if (type.list) {
      const words = this.#union(type.list[0]).map(plain);
      const isWords = words.every((word) => word && /^(str$|Literal)/.test(word));
      return isWords ? `Sequence[${this.#argument(type.list[0])}]` : "Input";
    }
    if (!type.members) return plain(type);
    if (type.isArray) return "Input";
    if (this.#isResident(type)) return this.#makers.has(type) ? this.#class(type, "") : "Resident";
    return has(type, "data", "shape") ? "Input | Fields" : "Fields";
  }

  /** What Python gets for a type. @param {number} of @param {string} path  of the function @returns {string} */
  #result(of, path) {
    const types = this.#union(of);
    return joined(
      types.map((each) =>
        this.#returned(each, path, types.filter((type) => !plain(type)).length > 1),
      ),
    );
  }

  /** @param {Type} type @param {string} path @param {boolean} isEither  whether it is one of several objects */
  #returned(type, path, isEither) {
    if (type.list) return `list[${joined(type.list.map((each) => this.#result(each, path)))}]`;
    if (type.yields !== undefined) return `Iterator[${this.#result(type.yields, path)}]`;
    if (!type.members) return type.primitive === "number" ? "Number" : plain(type) || "Any";
    const data = type.members.find(({ name }) => name === "data");
    if (data && has(type, "dtype", "shape")) return arrayOf(this.types[data.of]);
    if ((type.symbol ?? "") in DTYPES) return arrayOf(type);
    if (isEither) return "Any";
    const isRecord = type.members.every(({ name }) => /^[a-z]\w*$/i.test(name));
    const isEmpty = type.members.length === 0 || type.isOpen;
    return isRecord && !isEmpty ? this.#class(type, path) : "dict[str, Any]";
  }

  /** Whether a type has methods and is not Tensor. @param {Type} type */
  #isResident(type) {
    const isMethod = type.members?.some(({ of }) => this.types[of].primitive === "function");
    return isMethod && !has(type, "toString");
  }

  /** The class of a result, written at its first use. @param {Type} type @param {string} path */
  #class(type, path) {
    const made = this.#named.get(type);
    if (made) return made;
    const isResident = this.#isResident(type);
    const maker = (isResident && this.#makers.get(type)) || path;
    const name = this.#free(this.#nameOf(type, maker));
    this.#named.set(type, name);
    if (isResident && !this.documentation.has(`${maker}()`)) {
      this.#write(name, "Resident", this.#values(type, path));
      return name;
    }
    if (isResident) {
      const lines = this.#members(`${maker}()`, false);
      this.#write(name, "Resident", [`def __enter__(self) -> ${name}: ...`, ...lines]);
      return name;
    }
    this.#write(name, "NamedTuple", [
      ...this.#values(type, path),
      "def keys(self) -> tuple[str, ...]: ...",
      "def __getitem__(self, key: Any) -> Any: ...",
    ]);
    return name;
  }

  /** @param {Type} type @param {string} maker  the function that makes it */
  #nameOf({ alias }, maker) {
    if (/^lab\.tasks\./.test(maker)) return "Task";
    return alias === undefined || OF_TYPESCRIPT.includes(alias) ? pascal(maker) : alias;
  }

  /** What a type has beside functions that take a function. @param {Type} type @param {string} path */
  #values({ members = [] }, path) {
    return members
      .filter(({ name }) => !CALLBACKS.includes(name))
      .map(({ name, of }) => `${snake(name)}: ${this.#result(of, `${path}.${snake(name)}`)}`);
  }
}

/** Types of TypeScript's that say nothing of what they are made from. */
const OF_TYPESCRIPT = ["Readonly", "Required"];

/** Methods of tasks, which take functions that draw numbers. */
const CALLBACKS = ["fill", "held"];

/** @param {Type} type @param {string[]} names */
const has = ({ members }, ...names) =>
  names.every((name) => members?.some((member) => member.name === name));

/** @param {Type} data */
const arrayOf = ({ symbol }) =>
  `NDArray[${DTYPES[symbol ?? ""] ? `np.${DTYPES[symbol ?? ""]}` : "Any"}]`;

/** @type {Record<string, string>} */
const PRIMITIVES = {
  undefined: "None",
  string: "str",
  number: "float",
  bigint: "int",
  boolean: "bool",
  any: "Any",
  function: "Any",
};

/** Python's word for a type that is no object; empty if there is none. @param {Type} type */
const plain = ({ primitive, word }) =>
  word === undefined ? (PRIMITIVES[primitive ?? ""] ?? "") : `Literal[${JSON.stringify(word)}]`;

/** A union of types, each once; strings become one Literal, and Any absorbs all. @param {string[]} types */
function joined(types) {
  const parts = [...new Set(types.flatMap((type) => type.split(/ \| (?![^[]*\])/)))];
  if (parts.includes("Any")) return "Any";
  const words = parts.map((part) => /^Literal\[(.*)\]$/.exec(part)?.[1]).filter(Boolean);
  const others = parts.filter((part) => !part.startsWith("Literal["));
  if (others.includes("str") || words.length === 0) return others.sort(noneLast).join(" | ");
  return [`Literal[${words.join(", ")}]`, ...others].sort(noneLast).join(" | ");
}

/** @param {string} a @param {string} b */
const noneLast = (a, b) => Number(a === "None") - Number(b === "None");

/** A type that may be left out. @param {string} type */
const optional = (type) => (/^Any$|\bNone$/.test(type) ? type : `${type} | None`);

/** A path as the name of a class: "rope.table()" is RopeTable. @param {string} path */
const pascal = (path) =>
  path
    .split(/[^a-z0-9]+/i)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
