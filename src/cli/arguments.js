/** Reads the arguments of a command. */
import { parseArgs } from "node:util";
import { describe } from "../runtime/check.js";
import { didYouMean } from "../runtime/suggest.js";

/**
 * An option of a command.
 * @typedef {object} Option
 * @property {"string" | "boolean"} type
 * @property {string} [short]  its letter
 * @property {boolean} [multiple]  whether it may be repeated
 * @property {string} [value]  the name of its value in the help
 * @property {string} text  what it does
 * @property {readonly string[]} [values]  the words that it takes
 */

/**
 * What a command is called with.
 * @typedef {object} Call
 * @property {string[]} operands  the arguments that are not options
 * @property {Record<string, any>} options  by name
 * @property {(done: number, total: number) => void} progress  of a long read
 * @property {(line: string) => void} say  shows in a terminal how far the command is
 * @property {typeof import("./write.js").save} save  writes a file
 */

/**
 * What a command found.
 * @typedef {object} Report
 * @property {unknown} data  for --json
 * @property {string[]} lines  for people
 * @property {number} [code]  the exit code. Default: 0
 */

/**
 * A command.
 * @typedef {object} Command
 * @property {string} name
 * @property {string} operands  as the help shows them: "MODEL TOKEN..."
 * @property {number} least  how many operands it needs
 * @property {number} [most]  how many it takes. Default: any number
 * @property {string} does  what it does, in a line
 * @property {readonly string[]} [notes]  more lines of its help
 * @property {Readonly<Record<string, Option>>} options
 * @property {(call: Call) => Promise<Report>} run
 */

/** The command was called in a wrong way. */
export class UsageError extends Error {
  /** @override */
  static name = "UsageError";
}

/** Options of all commands. @type {Readonly<Record<string, Option>>} */
export const COMMON = Object.freeze({
  json: { type: "boolean", text: "print one JSON document" },
  help: { type: "boolean", short: "h", text: "print the help of the command" },
});

/**
 * @param {Command} command @param {string[]} given
 * @returns {{operands: string[], options: Record<string, any>}}
 * @throws {UsageError}
 */
export function read(command, given) {
  const known = { ...command.options, ...COMMON };
  const { values, positionals } = parsed(given, known);
  if (!values.help) {
    const { least, most = Infinity } = command;
    const isFew = positionals.length < least || positionals.length > most;
    if (isFew || positionals.includes("")) {
      const got = isFew ? positionals.length : "an empty one";
      throw new UsageError(`arguments must be ${command.operands || "none"}; got ${got}`);
    }
  }
  for (const [name, { values: words }] of Object.entries(known)) {
    const value = values[name];
    if (words !== undefined && value !== undefined) oneOf(String(value), `--${name}`, words);
  }
  return { operands: positionals, options: values };
}

/**
 * @param {string[]} args @param {Record<string, Option>} known
 * @returns {{values: Record<string, any>, positionals: string[]}}
 */
function parsed(args, known) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  );
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = /** @type {{code?: string, message: string}} */ (error);
    if (!code?.startsWith("ERR_PARSE_ARGS")) throw error;
    const [, name] = /^Unknown option '([^']+)'/.exec(message) ?? [];
    if (name === undefined) throw new UsageError(misread(message, args));
    if (/^-\d/.test(name)) {
      throw new UsageError(`numbers must not be negative; got ${describe(name)}`);
    }
    const names = Object.keys(known).map((known) => `--${known}`);
    const got = `${describe(name)}${didYouMean(name, names)}`;
    throw new UsageError(`options must be among ${names.join(", ")}; got ${got}`);
  }
}

/**
 * What is wrong with the value of an option.
 * @param {string} message  of Node @param {string[]} args
 */
function misread(message, args) {
  const [, option, fault] =
    /^Option '(?:-\w, )?(--[\w-]+)(?: .*)?' argument (\w+)/.exec(message) ?? [];
  if (fault === "missing") return `${option} must get a value; got none`;
  if (fault === undefined) return message.split("\n")[0];
  const value = args[args.indexOf(option) + 1];
  return `${option} must get a value that does not begin with "-"; got ${describe(value)}`;
}

/**
 * A word of a list.
 * @template {string} Word
 * @param {string} given @param {string} name  of the argument @param {readonly Word[]} words
 */
export function oneOf(given, name, words) {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  const got = `${describe(given)}${didYouMean(given, words)}`;
  throw new UsageError(`${name} must be one of ${words.join(", ")}; got ${got}`);
}

/**
 * A whole number, of an option or an operand.
 * @param {string | undefined} text @param {string} name @param {number} [least]
 * @returns {number | undefined} undefined if it is left out
 */
export function whole(text, name, least = 1) {
  if (text === undefined) return undefined;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value < 2 ** 31) return value;
  throw new UsageError(
    `${name} must be a whole number from ${least} to ${2 ** 31 - 1}; got ${describe(text)}`,
  );
}
