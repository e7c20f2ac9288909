// Makes the stubs of the wheel: the types of phasor.py's modules, functions, options and results, read from
// the JSDoc that its documentation comes from. Modules are classes there: of a ModuleType every name is allowed.

import { documentation, long, snake, surface } from "./python.js";

/** @import ts from "typescript" */
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

from collections.abc import Mapping, Sequence
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
`;

const PACKAGE = `from .phasor import Figure as Figure
from .phasor import Phasor as Phasor
from .phasor import RangeError as RangeError
from .phasor import Resident as Resident
from .widget import Widget as Widget
from .widget import numbers as numbers

__version__: str

async def load(url: str = ..., wasm: str | None = None) -> Phasor: ...
`;

/**
 * The stubs by the names of their files.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function stubs() {
  const { ts, checker, modules } = await surface();
  const writer = new Writer(ts, checker, await documentation());
  for (const { path, type } of modules) writer.find(path, type);
  const attributes = modules.map(({ path, type }) => `    ${path}: ${writer.module(path, type)}`);
  const phasor = ["class Phasor:", ...attributes].join("\n");
  return {
    "__init__.pyi": PACKAGE,
    "phasor.pyi": `${[HEAD.trimEnd(), ...writer.classes, phasor].join("\n\n")}\n`,
  };
}

class Writer {
  /** Classes as text. @type {string[]} */
  classes = [];

  /** Types that already have a class, and its name. @type {Map<ts.Type, string>} */
  #named = new Map();

  /** The functions that create objects with methods. @type {Map<ts.Type, string>} */
  #makers = new Map();

  /** @type {Set<string>} */
  #taken = new Set(["Phasor", "Resident", "Figure", "RangeError", "Input", "Fields", "Number"]);

  /** @param {typeof ts} typescript @param {ts.TypeChecker} checker @param {Map<string, Entry>} documentation */
  constructor(typescript, checker, documentation) {
    this.ts = typescript;
    this.checker = checker;
    this.documentation = documentation;
  }

  /** Finds the functions that create objects with methods. @param {string} path @param {ts.Type} type */
  find(path, type) {
    const [signature] = type.getCallSignatures().slice(-1);
    const made = signature?.getReturnType();
    if (made && !this.#makers.has(made) && this.#isResident(made)) this.#makers.set(made, path);
    for (const property of this.#own(type)) {
      this.find(`${path}.${snake(property.name)}`, this.checker.getTypeOfSymbol(property));
    }
  }

  /** Writes the class of a module. @param {string} path @param {ts.Type} type @returns {string} its name */
  module(path, type) {
    const name = this.#free(`${pascal(path)}Module`);
    const [signature] = type.getCallSignatures().slice(-1);
    const call = signature ? this.#method("__call__", path, signature, true) : [];
    this.#write(name, "", [...call, ...this.#members(path, type, !signature)]);
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

  /** @param {string} path @param {ts.Type} type @param {boolean} isStatic  whether functions have no self */
  #members(path, type, isStatic) {
    return this.#own(type).flatMap((property) => {
      const member = this.checker.getTypeOfSymbol(property);
      const [signature] = member.getCallSignatures().slice(-1);
      const name = snake(property.name);
      return signature
        ? this.#method(name, `${path}.${name}`, signature, !isStatic)
        : [`${name}: ${isStatic ? this.#constant(member) : this.#result(member, path)}`];
    });
  }

  /** Presets and lists of names come as dicts and lists. @param {ts.Type} type */
  #constant(type) {
    return this.checker.isArrayLikeType(type) ? "list[Any]" : "dict[str, Any]";
  }

  /** @param {string} name @param {string} path @param {ts.Signature} signature @param {boolean} hasSelf */
  #method(name, path, signature, hasSelf) {
    const { checker } = this;
    const entry = this.documentation.get(path);
    if (!entry) throw new Error(`${path} must be documented; it has no entry`);
    const types = signature.parameters
      .filter((each) => each.name !== "options")
      .map((each) => this.#argument(checker.getTypeOfSymbol(each)));
    const parameters = entry.parameters.map((parameter, i) =>
      parameter.endsWith("=")
        ? `${parameter.slice(0, -1)}: ${optional(types[i])} = None`
        : `${parameter}: ${types[i]}`,
    );
    const last = signature.parameters.find((each) => each.name === "options");
    const declared = last ? this.#properties(checker.getTypeOfSymbol(last)) : [];
    const options = entry.options.map((option) => {
      const found = declared.filter((each) => snake(each.name) === option);
      const all = found.map((each) => this.#argument(checker.getTypeOfSymbol(each)));
      return `${option}: ${optional(joined(all))} = None`;
    });
    const list = [
      ...(hasSelf ? ["self"] : []),
      ...parameters,
      ...(options.length > 0 ? ["*", ...options] : []),
    ];
    const result = path.startsWith("plots.")
      ? "Figure"
      : this.#result(signature.getReturnType(), path);
    return [
      ...(hasSelf ? [] : ["@staticmethod"]),
      `def ${name}(`,
      ...list.map((each) => `    ${each},`),
      `) -> ${result}:`,
      ...(entry.text ? long(entry.text).split("\n") : ["..."]).map((line) => line && `    ${line}`),
    ];
  }

  /** The properties that the package declares. @param {ts.Type} type */
  #own(type) {
    return type.getProperties().filter(({ declarations, name }) => {
      const file = declarations?.[0].getSourceFile().fileName ?? "";
      return !/\/lib\.[^/]*\.d\.ts$/.test(file) && !name.startsWith("__");
    });
  }

  /** Also of a union, of all its members. @param {ts.Type} type @returns {ts.Symbol[]} */
  #properties(type) {
    return this.#union(this.checker.getNonNullableType(type)).flatMap((each) =>
      each.getProperties(),
    );
  }

  /** @param {ts.Type} type @returns {ts.Type[]} */
  #union(type) {
    return type.isUnion() ? type.types : [type];
  }

  /** What Python accepts for a type. @param {ts.Type} type @returns {string} */
  #argument(type) {
    return joined(this.#union(type).map((each) => this.#accepted(each)));
  }

  /** @param {ts.Type} type */
  #accepted(type) {
    const known = this.#primitive(type);
    if (known) return known;
    if (type.flags & this.ts.TypeFlags.TypeParameter) {
      const constraint = this.checker.getBaseConstraintOfType(type);
      return constraint ? this.#argument(constraint) : "Any";
    }
    if (type.getCallSignatures().length > 0) return "Any";
    const [element] = this.checker.isArrayLikeType(type)
      ? this.checker.getTypeArguments(/** @type {ts.TypeReference} */ (type))
      : [];
    const isWords =
      element && this.#union(element).every(({ flags }) => flags & this.ts.TypeFlags.StringLike);
    if (isWords) return `Sequence[${this.#argument(element)}]`;
    if (element || type.getNumberIndexType() || type.getProperty("byteLength")) return "Input";
    if (this.#isResident(type)) {
      return this.#makers.has(type) ? this.#class(type, "") : "Resident";
    }
    if (type.getProperty("data") && type.getProperty("shape")) return "Input | Fields";
    return "Fields";
  }

  /** What Python gets for a type. @param {ts.Type} type @param {string} path  of the function @returns {string} */
  #result(type, path) {
    const members = this.#union(type);
    const types = members.map((each) => this.#returned(each, path, members));
    return joined(types.length === 0 ? ["Any"] : types);
  }

  /** @param {ts.Type} type @param {string} path @param {ts.Type[]} members  of the union that it is from */
  #returned(type, path, members) {
    const known = this.#primitive(type);
    if (known) return known === "float" ? "Number" : known;
    if (!(type.flags & (this.ts.TypeFlags.Object | this.ts.TypeFlags.Intersection))) return "Any";
    const data = type.getProperty("data");
    if (data && type.getProperty("dtype") && type.getProperty("shape")) {
      return this.#array(this.checker.getTypeOfSymbol(data));
    }
    if (type.symbol?.name in DTYPES) return this.#array(type);
    if (this.checker.isArrayLikeType(type)) {
      const elements = this.checker.getTypeArguments(/** @type {ts.TypeReference} */ (type));
      return `list[${joined(elements.map((each) => this.#result(each, path)))}]`;
    }
    const objects = members.filter((each) => !this.#primitive(each));
    if (objects.length > 1 || type.getCallSignatures().length > 0) return "Any";
    const own = this.#own(type);
    const isRecord = own.length > 0 && own.every(({ name }) => /^[a-z]\w*$/i.test(name));
    return isRecord && !type.getStringIndexType() ? this.#class(type, path) : "dict[str, Any]";
  }

  /** @param {ts.Type} data */
  #array(data) {
    const dtype = DTYPES[data.symbol?.name];
    return dtype ? `NDArray[np.${dtype}]` : "NDArray[Any]";
  }

  /** @param {ts.Type} type @returns {string | undefined} */
  #primitive(type) {
    const { TypeFlags } = this.ts;
    if (type.isStringLiteral()) return `Literal[${JSON.stringify(type.value)}]`;
    if (type.flags & (TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Void)) return "None";
    if (type.flags & TypeFlags.StringLike) return "str";
    if (type.flags & TypeFlags.NumberLike) return "float";
    if (type.flags & TypeFlags.BigIntLike) return "int";
    if (type.flags & TypeFlags.BooleanLike) return "bool";
    if (type.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never)) return "Any";
    const open = type.isIntersection() && type.types.some((each) => this.#primitive(each)); // string & {}
    return open ? "str" : undefined;
  }

  /** Whether a type has methods and is not Tensor. @param {ts.Type} type */
  #isResident(type) {
    const own = this.#own(type);
    return (
      own.some((each) => this.checker.getTypeOfSymbol(each).getCallSignatures().length > 0) &&
      own.every(({ name }) => name !== "toString")
    );
  }

  /** The class of a result, written at its first use. @param {ts.Type} type @param {string} path */
  #class(type, path) {
    const made = this.#named.get(type);
    if (made) return made;
    const isResident = this.#isResident(type);
    const maker = (isResident && this.#makers.get(type)) || path;
    const name = this.#free(type.aliasSymbol?.name ?? pascal(maker));
    this.#named.set(type, name);
    if (isResident) {
      const lines = this.#members(`${maker}()`, type, false);
      this.#write(name, "Resident", [`def __enter__(self) -> ${name}: ...`, ...lines]);
      return name;
    }
    const fields = this.#own(type).map((field) => {
      const inner = this.#result(
        this.checker.getTypeOfSymbol(field),
        `${path}.${snake(field.name)}`,
      );
      return `${snake(field.name)}: ${inner}`;
    });
    this.#write(name, "NamedTuple", [
      ...fields,
      "def keys(self) -> tuple[str, ...]: ...",
      "def __getitem__(self, key: Any) -> Any: ...",
    ]);
    return name;
  }
}

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
