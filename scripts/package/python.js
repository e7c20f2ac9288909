// Makes dist/phasor.py: src/python/phasor.py with the package's version, and with the parameters,
// options and text of every function, read from the JSDoc in src.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { api } from "./api.js";
import { project } from "../setup/setup.js";

/** @import { Api, Entry as Told, Named, Page } from "./api.js" */

/**
 * The documentation in Python of a function, a module, or an object that a function creates.
 *
 * @typedef {object} Entry
 * @property {string[]} parameters  those that may be left out end with "="
 * @property {string[]} options
 * @property {string} text
 * @property {Named[]} given  the parameters and
 * @property {Named[]} kept  the options in JavaScript
 * @property {number} of  the type of a function's result; -1 if it is none
 * @property {Told[]} members  of a module, or of an object that a function creates
 */

/** What a Python function would raise. @type {Record<string, string>} */
const ERRORS = {
  TypeError: "TypeError",
  RangeError: "ValueError",
  OutOfMemoryError: "MemoryError",
  DisposedError: "TypeError",
};

/** Python's keywords, which get an underscore. */
const KEYWORDS = ["as", "from", "in", "is", "not", "or", "with"];

/** Options that Python does not have: its arrays cannot be filled, and it stops a loop by leaving it. */
const LACKS = ["out", "signal"];

/** A name of JavaScript's as Python has it; `_snake` in phasor.py. @param {string} name */
export function snake(name) {
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
  return KEYWORDS.includes(words) ? `${words}_` : words;
}

/** `_camel` in phasor.py. @param {string} name */
const camel = (name) =>
  name.replace(/_$/, "").replace(/_([a-z0-9])/g, (_, first) => first.toUpperCase());

/** Writes phasor.py. @param {string} to  the folder */
export async function writePython(to) {
  const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  const source = await readFile(join(project, "src/python/phasor.py"), "utf8");
  const entries = [...documentation(await api())].filter(([, { of, text }]) => of >= 0 || text);
  const lines = entries.map(
    ([path, { parameters, options, text }]) =>
      `    ${quoted(path)}: (${list(parameters)}, ${list(options)}, ${long(text)}),`,
  );
  await writeFile(
    join(to, "phasor.py"),
    [
      source.replace(/^__version__ = .*$/m, `__version__ = "${version}"`),
      "",
      "# Made from the comments of the JavaScript: see DOCUMENTATION above.",
      "DOCUMENTATION.update({",
      ...lines,
      "})",
      "",
    ].join("\n"),
  );
}

const quoted = (/** @type {string} */ text) => JSON.stringify(text);
const list = (/** @type {string[]} */ names) => `[${names.map(quoted).join(", ")}]`;
/** A text of several lines, as Python writes it. @param {string} text */
export const long = (text) =>
  `"""${text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"')}"""`;

/**
 * Every function of the package, by its path in Python: "rope.table", "embedding.create().lookup". Modules and the
 * objects that functions create have entries without parameters.
 *
 * @param {Api} api
 * @returns {Map<string, Entry>}
 */
export function documentation({ pages, modules, types }) {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  /** Names that differ in Python, wherever the texts mention them. @type {Set<string>} */
  const names = new Set();
  const entriesOf = (/** @type {string | undefined} */ page) =>
    pages.find(({ name }) => name === page)?.entries ?? [];

  /**
   * @param {string} path @param {Told | string} from  a function, or the text of a module or an object
   * @param {Told[]} [members]
   */
  const read = (path, from, members = []) => {
    if (typeof from !== "string") readFunction(path, from, members);
    else {
      const none = { parameters: [], options: [], given: [], kept: [], of: -1 };
      entries.set(path, { ...none, text: from, members });
    }
    for (const member of members) {
      names.add(nameOf(member));
      if (member.kind === "function") read(`${path}.${snake(nameOf(member))}`, member);
    }
  };

  /** @param {string} path @param {Told} from @param {Told[]} members */
  const readFunction = (path, from, members) => {
    const { of } = from;
    const given = from.parameters.filter(({ name }) => name !== "options");
    const last = from.parameters.find(({ name }) => name === "options");
    const kept = last?.options?.filter(({ name }) => !LACKS.includes(name)) ?? [];
    for (const { name } of [...given, ...kept]) {
      names.add(name);
      if (camel(snake(name)) !== name) throw new Error(`${path}: ${name} has no name in Python`);
    }
    const parameters = given.map(({ name, optional }) => snake(name) + (optional ? "=" : ""));
    const options = kept.map(({ name }) => snake(name));
    const text = textOf(from, given, kept, last?.text ?? "");
    entries.set(path, { parameters, options, text, given, kept, of, members });
    const { entry } = types[of];
    const made = entriesOf(entry?.page).find(
      ({ name, kind }) => name === entry?.name && kind === "type",
    );
    if (made?.members.some(({ kind }) => kind === "function")) {
      read(`${path}()`, made.text, made.members);
    }
  };

  for (const name of modules) {
    const { title, text } = /** @type {Page} */ (pages.find((page) => page.name === name));
    const all = entriesOf(name);
    const members = all.filter((entry) => entry.name.startsWith(`${title}.`));
    read(snake(title), all.find((entry) => entry.name === title) ?? text, members);
  }
  read(
    "models",
    "",
    entriesOf("models").filter(({ name }) => name.startsWith("models.")),
  );
  names.add("lab");
  readLab(read, pages);
  const [figures, ...kinds] = entriesOf("plots").filter(({ kind }) => kind === "function");
  read("plots", figures.text, kinds);

  for (const entry of entries.values()) {
    entry.text = entry.text.replace(/`([a-zA-Z0-9.]+)`/g, (all, path) =>
      path in ERRORS
        ? `\`${ERRORS[path]}\``
        : path.split(".").every((/** @type {string} */ name) => names.has(name))
          ? `\`${path.split(".").map(snake).join(".")}\``
          : all,
    );
  }
  return entries;
}

/**
 * The lab: functions of it, of `lab.decoder` and of `lab.tasks`. Experiments are loops in Python.
 * @param {(path: string, from: Told | string, members?: Told[]) => void} read @param {Page[]} pages
 */
function readLab(read, pages) {
  const { text, entries } = /** @type {Page} */ (pages.find(({ name }) => name === "lab"));
  const within = (/** @type {string} */ path) =>
    entries.filter(({ name, kind }) => kind === "function" && parentOf(name) === path);
  const functions = within("lab").filter(({ name }) => name !== "lab.experiment");
  const tasks = { ...functions[0], kind: /** @type {const} */ ("value"), name: "lab.tasks" };
  read("lab", text, [...functions, tasks]);
  for (const each of functions) read(each.name, each, within(each.name));
  read("lab.tasks", "What a decoder is trained on.", within("lab.tasks"));
}

/** @param {string} path */
const parentOf = (path) => path.split(".").slice(0, -1).join(".");

/** The name of a member in JavaScript: apply of rope.apply. @param {Told} entry */
export const nameOf = ({ name }) => name.replace(/^.*\./, "");

/**
 * @param {Told} from @param {Named[]} parameters @param {Named[]} options
 * @param {string} about  all options
 */
function textOf({ text, returns, throws, see, examples }, parameters, options, about) {
  /** @param {Named[]} named */
  const lines = (named) =>
    named.map(({ name, text }) => indent(`${snake(name)}  ${withoutOut(text)}`.trim()));
  const raises = throws.map(
    ({ type, text }) =>
      `${type.replace(/\w+/g, (name) => ERRORS[name] ?? name).replaceAll(" |", ",")} ${text}`,
  );
  /** @type {[string, string[]][]} */
  const sections = [
    ["Parameters", lines(parameters)],
    ["Options", [...lines(options), ...[withoutOut(about)].filter(Boolean).map(indentAll)]],
    ["Returns", [returns].filter(Boolean).map(indent)],
    ["Raises", raises.map(indent)],
    ["Source", see.map(indent)],
    ["In JavaScript", examples.map(indentAll)],
  ];
  return [
    text,
    ...sections
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => `${title}\n${lines.join("\n")}`),
  ].join("\n\n");
}

/** @param {string} text  whose further lines stand deeper than the first */
const indent = (text) => `    ${text.trim().replace(/\n\s*/g, "\n        ")}`;

/** @param {string} code */
const indentAll = (code) => code.replace(/^(?=.)/gm, "    ");

/** Python's arrays cannot be filled in place. @param {string} text */
function withoutOut(text) {
  return text
    .replace(/;?\s*`out`\s+(is|are)\s+filled[^;]*/, "")
    .replace(/;? not changed unless it is `out`/, "")
    .replace(/^;\s+/, "")
    .trim();
}
