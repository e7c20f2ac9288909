// What the reference says of every public function, class and type: the JSDoc of src/ (scripts/package/api.js) with the defaults
// of the built package, and with each option's part of what the comment of a function says of all.

import { api } from "../../scripts/package/api.js";

/** @import * as Raw from "../../scripts/package/api.js" */

/**
 * A parameter or an option.
 * @typedef {Omit<Raw.Named, "options"> & {byDefault: string, options: Named[]}} Named
 */

/** @typedef {Omit<Raw.Entry, "parameters" | "members"> & {parameters: Named[], members: Entry[]}} Entry */

/** @typedef {Omit<Raw.Page, "entries"> & {entries: Entry[], types: Map<string, string>}} Page  with where each type is */

/** What an option is where no comment says so. */
const COMMON = new Map([["out", "filled instead of a new array"]]);

/** @returns {Promise<Page[]>} */
export async function readReference() {
  const { pages } = await api();
  const { load, optionsOf } = await import("phasor");
  const phasor = /** @type {Record<string, any>} */ (await load());

  /** The default as the built package has it, or as it is written where no module has the function. @param {Raw.Named} option */
  const defaultOf = ({ name, set = "", written }) => {
    const declared = set.split(".").reduce((object, key) => object?.[key], phasor);
    const options = typeof declared === "function" ? optionsOf(declared) : {};
    return name in options ? options[name].default : written;
  };

  /** @param {Raw.Named} own @param {string} [clause]  what is said of it elsewhere @returns {Named} */
  const option = (own, clause) => {
    const text = own.set ? own.text : [oneLine(own.text), clause].filter(Boolean).join("; ");
    const byDefault = defaultOf(own);
    if (byDefault !== undefined) return { ...own, text, byDefault: String(byDefault), options: [] };
    return { ...own, ...withDefault(text || (COMMON.get(own.name) ?? "")), options: [] };
  };

  /**
   * What the options' own comments do not say, the parameter's says, in clauses: "`past`: tokens in the cache; `out` is
   * filled ...".
   * @param {Raw.Named} own @returns {Named}
   */
  const parameter = (own) => {
    const text = oneLine(own.text);
    if (!own.options) return { ...own, ...withDefault(text), options: [] };
    const { rest, clauses } = readClauses(text, own.options);
    const options = own.options.map((each) => option(each, clauses.get(each.name)));
    const silent = options.filter(({ text, byDefault }) => text === "" && byDefault === "");
    if (silent.length !== 1) return { ...own, byDefault: "", text: rest, options };
    Object.assign(silent[0], withDefault(rest)); // what is said of the parameter is said of it
    return { ...own, byDefault: "", text: "", options };
  };

  /** @param {Raw.Entry} own @returns {Entry} */
  const entry = (own) => ({
    ...own,
    returns: oneLine(own.returns),
    throws: own.throws.map(({ type, text }) => ({ type, text: oneLine(text) })),
    see: own.see.map(oneLine),
    parameters: own.parameters.map(parameter),
    members: own.members.map((member) => (own.kind === "type" ? property : entry)(member)),
  });

  /** Of a typedef, whose text has clauses of the options. @param {Raw.Entry} own @returns {Entry} */
  const property = (own) => {
    const made = entry(own);
    const options = made.parameters.flatMap(({ options }) => options);
    const { rest, clauses } = readClauses(oneLine(own.text), options);
    for (const option of options.filter(({ name }) => clauses.has(name))) {
      Object.assign(option, withDefault(clauses.get(option.name)));
    }
    return { ...made, text: rest };
  };

  const isType = (/** @type {Raw.Entry} */ { kind }) => kind === "type" || kind === "class";
  const typesOf = (/** @type {Raw.Page} */ { name, entries }) =>
    entries.filter(isType).map((type) => /** @type {const} */ ([type.name, name]));
  const types = pages.flatMap(typesOf).reverse();
  return pages.map((page) => ({
    ...page,
    see: page.see.map(oneLine),
    entries: page.entries.map(entry),
    types: new Map([...types, ...typesOf(page)]),
  }));
}

/**
 * Clauses of a text that begin with the name of an option.
 * @param {string} text @param {{name: string}[]} options
 */
function readClauses(text, options) {
  const clauses = new Map();
  const rest = text.split(/;\s+(?=`)/).filter((clause) => {
    const [head = ""] = /^`\w+`(?:(?:,| and) `\w+`)*/.exec(clause) ?? [];
    const spoken = Array.from(head.matchAll(/`(\w+)`/g), ([, name]) => name);
    const of = spoken.filter((name) => options.some((each) => each.name === name));
    const said = spoken.length === 1 ? clause.slice(head.length).replace(/^[:,]?\s+/, "") : clause;
    for (const name of of) clauses.set(name, said);
    return of.length === 0;
  });
  return { rest: rest.join("; "), clauses };
}

/**
 * What is said of an option apart from its default, which is a separate clause or in brackets,
 * "of `normal`; default 0", "Tk (default: length)", or the word for a value: "`exact` (default) or".
 * @param {string} text
 */
function withDefault(text) {
  const word =
    /(`[^`]+`|"[^"]*"|-?(?<!\d)\d+|\[[^[\]]*\])(?: \[[^[\]]*\])?(?:,| \() ?default(?=[,;:)])/.exec(
      text,
    );
  if (word) return { byDefault: word[1], text };
  const clause = /(?:^|[;,] )default:? ([^;]+?)(?=; |\. [A-Z]|$)|(?:^| )\(default:? ([^)]+)\)/.exec(
    text,
  );
  if (!clause) return { byDefault: "", text };
  const rest = text.replace(clause[0], "").replace(/^[;.] /, "");
  return { byDefault: clause[1] ?? clause[2], text: rest };
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/(?<!\s)\s*\n\s*/g, " ").trim();
}
