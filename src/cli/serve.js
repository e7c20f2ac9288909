/** phasor serve: commands as tools of the Model Context Protocol, over stdin and stdout. */
import { describe } from "../runtime/check.js";
import { didYouMean } from "../runtime/suggest.js";
import { UsageError } from "./arguments.js";
import { below } from "./below.js";
import { check } from "./check.js";
import { config } from "./config.js";
import { identify } from "./identify.js";
import { models } from "./models.js";
import { printable, sentence, shortened } from "./output.js";
import { rope } from "./rope.js";
import { HUB } from "./source.js";
import { vectors } from "./vectors.js";
import { xray } from "./xray.js";

/**
 * @import { Call, Command, Option } from "./arguments.js"
 * @typedef {Awaited<ReturnType<typeof below>>} Below
 *
 * A tool: a command, and the name of its operand.
 * @typedef {object} Tool
 * @property {Command} command
 * @property {"port" | "config" | "words"} operand
 * @property {readonly string[]} [required]  options
 * @property {readonly string[]} [writes]  the options that name what is written
 * @property {readonly string[]} [without]  options that it does not have
 */

/** @type {readonly Tool[]} */
const TOOLS = [
  { command: models, operand: "words" },
  { command: config, operand: "config" },
  { command: rope, operand: "config", without: ["npz"] },
  { command: xray, operand: "config", writes: ["svg", "badge"] },
  { command: identify, operand: "port" },
  { command: check, operand: "port", required: ["model"] },
  { command: vectors, operand: "config", required: ["out"], writes: ["out"] },
];

const OPERANDS = Object.freeze({
  port: { type: "string", description: "a file .npz or .safetensors below the served folder" },
  config: {
    type: "string",
    description:
      "a name of the tool models, or a config.json, a folder with one or a .gguf file below the served folder",
  },
  words: {
    type: "string",
    description: "words, all of which a family's name, scheme, models or sentences have",
  },
});

const OVERWRITE = { type: "boolean", description: "whether files that are there are written over" };

/** What an option is in JSON. @param {Option} option */
function schemaOf({ type, value, values, text }) {
  if (values) return { type: "string", enum: values, description: text };
  if (type === "boolean") return { type, description: text };
  const isNumber = value === "N" || value === "T";
  return { type: isNumber ? "integer" : "string", description: text };
}

/** @param {Tool} tool @returns {Record<string, any>} */
function propertiesOf({ command: { options }, operand, writes, without = [] }) {
  const own = Object.entries(options).filter(([name]) => !(name in HUB) && !without.includes(name));
  return {
    [operand]: OPERANDS[operand],
    ...Object.fromEntries(own.map(([name, option]) => [name, schemaOf(option)])),
    ...(writes && { overwrite: OVERWRITE }),
  };
}

/** A tool as clients see it. @param {Tool} tool */
function listed(tool) {
  const { command, operand, required = [], writes } = tool;
  return {
    name: command.name,
    description: [command.does, ...(command.notes ?? [])].join("\n"),
    inputSchema: {
      type: "object",
      properties: propertiesOf(tool),
      required: [...(operand === "words" ? [] : [operand]), ...required],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: !writes, openWorldHint: false },
  };
}

/** Whether a value is of the type. @type {Record<string, (value: unknown) => boolean>} */
const IS = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isSafeInteger,
};

/** @param {Tool} tool @param {Record<string, unknown>} given */
function refuseWrong(tool, given) {
  const { properties, required } = listed(tool).inputSchema;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(properties, name)) {
      const names = Object.keys(properties);
      const got = `${describe(name)}${didYouMean(name, names)}`;
      throw new TypeError(`arguments must be among ${names.join(", ")}; got ${got}`);
    }
    const { type, enum: words } = properties[name];
    if (!IS[type](value)) {
      throw new TypeError(`${name} must be of type ${type}; got ${describe(value)}`);
    }
    if (words && !words.includes(value)) {
      const got = `${describe(value)}${didYouMean(String(value), words)}`;
      throw new RangeError(`${name} must be one of ${words.join(", ")}; got ${got}`);
    }
  }
  const missing = required.find((name) => given[name] === undefined);
  if (missing) throw new TypeError(`${missing} must be given; got none`);
}

/**
 * Runs the command of a tool.
 * @param {Tool} tool @param {Record<string, unknown>} given  the arguments of a client @param {Below} place
 */
async function answered(tool, given, place) {
  refuseWrong(tool, given);
  const { command, operand, writes = [] } = tool;
  const { [operand]: value = "", overwrite = false, ...rest } = given;
  const text = String(value);
  for (const name of writes.filter((name) => rest[name] !== undefined)) {
    await place.refuseTaken(String(rest[name]), name, overwrite === true);
  }
  const operands =
    operand === "words"
      ? text.split(/\s+/).filter(Boolean)
      : [operand === "port" ? await place.file(text, operand) : text];
  const options = Object.fromEntries(
    Object.entries(rest).map(([name, each]) => [name, each === true || each === false ? each : String(each)]), // prettier-ignore
  );
  /** @type {Call} */
  const call = {
    operands,
    options: { ...options, reader: place.config },
    progress() {},
    say() {},
    save: place.save,
  };
  const { data, lines } = await command.run(call);
  return {
    content: [{ type: "text", text: lines.map(shortened).map(printable).join("\n") }],
    structuredContent: JSON.parse(JSON.stringify(data)),
  };
}

/** The parts of the optional peer. */
async function protocol() {
  try {
    const [{ Server }, { StdioServerTransport }, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/index.js"),
      import("@modelcontextprotocol/sdk/server/stdio.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    return { Server, StdioServerTransport, ...types };
  } catch (cause) {
    const name = "@modelcontextprotocol/sdk";
    const rule = `the package ${name} must be installed (npm install ${name})`;
    throw new RangeError(`${rule}; got ${sentence(cause)}`, { cause });
  }
}

/* global PHASOR_VERSION -- set by the build */
const VERSION = PHASOR_VERSION;

/** @type {Command} */
export const serve = {
  name: "serve",
  operands: "",
  least: 0,
  most: 0,
  does: "these as tools for assistants: models, config, rope, xray, identify, check, vectors",
  notes: [
    "It speaks the Model Context Protocol over stdin and stdout until stdin ends, and needs the package",
    "@modelcontextprotocol/sdk. There is no network, and no file outside the folder where it was started.",
    "Files are written only by vectors, and by xray with svg or badge; over others only with overwrite.",
  ],
  options: {},
  async run({ options, say }) {
    if (options.json) throw new UsageError("--json must be left out of serve; got it");
    const sdk = await protocol();
    const place = await below(process.cwd());
    const server = new sdk.Server(
      { name: "phasor", version: VERSION },
      { capabilities: { tools: {} } },
    );
    server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: TOOLS.map(listed) }));
    /** One call at a time, which bounds the memory. @type {Promise<unknown>} */
    let last = Promise.resolve();
    server.setRequestHandler(sdk.CallToolRequestSchema, ({ params }) => {
      const tool = TOOLS.find(({ command }) => command.name === params.name);
      if (tool === undefined) {
        const names = TOOLS.map(({ command }) => command.name);
        const got = `${describe(params.name)}${didYouMean(params.name, names)}`;
        const message = `name must be one of ${names.join(", ")}; got ${got}`;
        throw new sdk.McpError(sdk.ErrorCode.InvalidParams, message);
      }
      const answer = last.then(() => answered(tool, params.arguments ?? {}, place)).catch(refused);
      last = answer;
      return answer;
    });
    /** What ended the connection before the client did. @type {Error | undefined} */
    let failure;
    server.onerror = (/** @type {Error} */ error) => {
      failure = error;
    };
    const ended = new Promise((resolve) => {
      server.onclose = () => resolve(failure);
      process.stdin.once("end", () => resolve(undefined));
    });
    await server.connect(new sdk.StdioServerTransport());
    say("phasor serve: waiting for a client of the Model Context Protocol");
    const broken = await ended;
    await last;
    await new Promise(setImmediate); // until the last answer is sent
    await server.close();
    if (broken) throw broken;
    return { data: null, lines: [] };
  },
};

/** An error as the result of a tool. Its arguments have no dashes. @param {unknown} error */
const refused = (error) => ({
  content: [{ type: "text", text: printable(shortened(sentence(error).replace(/^--(?=\w)/, ""))) }],
  isError: true,
});
