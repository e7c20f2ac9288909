#!/usr/bin/env node
/** phasor: the command line. */
import { readFile } from "node:fs/promises";
import { COMMON, oneOf, read, UsageError } from "./arguments.js";
import { check } from "./check.js";
import { config } from "./config.js";
import { explore } from "./explore.js";
import { guide } from "./guide.js";
import { waitBy } from "./hub.js";
import { identify } from "./identify.js";
import { lab } from "./lab.js";
import { models } from "./models.js";
import { nearest } from "./nearest.js";
import { norms } from "./norms.js";
import { columns, printable, progressOn, sentence, shortened } from "./output.js";
import { pca } from "./pca.js";
import { rope } from "./rope.js";
import { rows } from "./rows.js";
import { sentences } from "./sentences.js";
import { serve } from "./serve.js";
import { table } from "./table.js";
import { vectors } from "./vectors.js";
import { save } from "./write.js";
import { xray } from "./xray.js";

/** @import { Command } from "./arguments.js" */

/** @type {Command[]} */
const commands = [
  explore,
  rows,
  nearest,
  norms,
  pca,
  table,
  rope,
  xray,
  config,
  identify,
  check,
  vectors,
  sentences,
  lab,
  guide,
  models,
  serve,
];

const NOTES = [
  "MODEL is a folder, a file, an address, or a name on the Hugging Face hub; a folder or file of that",
  "name is taken first, then the hub's cache. CONFIG is a config.json, a folder with one, a .gguf file,",
  "a name of models.names, or a name on the hub. PORT is a file .npz or .safetensors. A file may be -,",
  "which is standard input.",
  "HF_TOKEN, HF_ENDPOINT, HF_HOME, HF_HUB_CACHE and HF_HUB_OFFLINE have the meaning of the hub's programs.",
];

const CODES = [
  "Exit codes:",
  "  0  done",
  "  1  a difference was found, a check is undecided, or a file, a token or the hub made it impossible",
  "  2  wrong usage, or too few rows to identify",
];

/** @param {Command} [command] */
function help(command) {
  if (command === undefined) {
    const rows = commands.map(({ name, operands, does }) => [`${name} ${operands}`, does]);
    const usage = ["phasor COMMAND ...", "", ...columns(rows), "", ...NOTES];
    const more = "phasor COMMAND --help lists the options; phasor --version prints the version.";
    return [...usage, more, "", ...CODES];
  }
  const { name, operands, does, notes = [] } = command;
  const options = Object.entries({ ...command.options, ...COMMON }).map(
    ([option, { value, multiple, text }]) => [
      `--${option}${value ? ` ${value}` : ""}${multiple ? "..." : ""}`,
      text,
    ],
  );
  const more = notes.length > 0 ? [...notes, ""] : [];
  return [
    `phasor ${name} ${operands}`.trimEnd(),
    `  ${does}`,
    "",
    ...columns(options),
    "",
    ...more,
    ...CODES,
  ];
}

/** The version in the package.json above dist/. */
async function version() {
  const path = new URL("../package.json", import.meta.url);
  return JSON.parse(await readFile(path, "utf8")).version;
}

/** What errors name: the command, once it is known. */
let called = "phasor";

/** @param {string[]} given @returns {Promise<{lines: string[], code: number}>} */
async function main([name, ...given]) {
  if (name === "help" && given.length > 0) return main([given[0], "--help"]);
  const isHelp = name === undefined || name === "help" || name === "--help" || name === "-h";
  if (isHelp) return { lines: help(), code: name === undefined ? 2 : 0 };
  if (["--version", "-v", "version"].includes(name)) return { lines: [await version()], code: 0 };
  const names = commands.map((each) => each.name);
  const command = commands[names.indexOf(oneOf(name, "COMMAND", names))];
  called = `phasor ${command.name}`;
  const { operands, options } = read(command, given);
  if (options.help) return { lines: help(command), code: 0 };
  const { show, say, clear } = progressOn(process.stderr);
  waitBy(say);
  try {
    const call = { operands, options, progress: show, say, save };
    const { data, lines, code = 0 } = await command.run(call);
    return { lines: options.json ? [JSON.stringify(data)] : lines.map(shortened), code };
  } finally {
    clear();
  }
}

/** The one place that writes. @param {NodeJS.WriteStream} stream @param {readonly string[]} lines */
const write = (stream, lines) => stream.write(lines.map((line) => `${printable(line)}\n`).join(""));

process.stdout.on("error", (error) => {
  // The reader of the output, such as `head`, has closed it.
  if (/** @type {{code?: string}} */ (error).code === "EPIPE") process.exit();
  write(process.stderr, [`${called}: the output must be writable; got ${sentence(error)}`]);
  process.exit(1);
});
process.stderr.on("error", () => process.exit(1)); // nobody reads errors

try {
  const { lines, code } = await main(process.argv.slice(2));
  process.exitCode = code;
  write(process.stdout, lines);
} catch (error) {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  write(process.stderr, [shortened(`${called}: ${sentence(error)}`)]);
  if (process.env.PHASOR_DEBUG === "1" && error instanceof Error) {
    write(process.stderr, String(error.stack).split("\n"));
  }
}
