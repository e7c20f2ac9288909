// Python on the page: one frame for all cells, in the sandbox that also runs JavaScript. It starts when a reader
// first runs Python, and goes on between runs, until a program has to be ended.

/** @import { Sandbox } from "../sandbox.js" */
import { make } from "../dom.js";
import { PRINTED } from "../runnable.js";
import { sandbox } from "../sandbox.js";
import calls from "./calls.py?raw";
import program from "./program.py?raw";
import { FILES, HOST, LOCK } from "./python-files.js";

/** The folder that the frame believes to have Pyodide in it: it has no network. */
const FOLDER = "https://python.invalid/";

/**
 * Runs in the frame. Messages leave it only while nothing else runs: so it pauses before each call. A newer program
 * ends the one before.
 */
const WITHIN = `
import "pyodide-glue";
import { loadPyodide } from "pyodide";
const { parent, setTimeout } = globalThis;
const tell = (message) => parent.postMessage(message, "*");
const read = (name) => fetch("${FOLDER}" + name);
let left = ${PRINTED.lines};
let turn = 0;
const print = (words) => left-- > 0 && tell({ state: "printed", turn, printed: words.slice(0, ${PRINTED.characters}) });
const python = await loadPyodide({ indexURL: "${FOLDER}", stdout: print, stderr: print });
python.unpackArchive(await (await read("numpy.whl")).arrayBuffer(), "wheel");
python.runPython(await (await read("program.py")).text());
const plain = (name) => {
  const work = python.globals.get(name);
  return (...given) => {
    const made = work(...given);
    const copy = made.toJs({ dict_converter: Object.fromEntries });
    made.destroy();
    return copy;
  };
};
const [begin, call] = ["begin", "call"].map(plain);
async function run({ turn: mine, code, name, parameters, inputs }) {
  [turn, left] = [mine, ${PRINTED.lines}];
  const report = (message) => tell({ ...message, turn: mine });
  const failed = (made) => made.failed !== undefined && (report({ state: "failed", words: made.failed, line: made.line }), true);
  const begun = begin(code, name);
  if (failed(begun)) return;
  if (begun.missing) return report({ state: "returned", missing: begun.missing });
  const returned = [];
  for (const [i, given] of inputs.entries()) {
    report({ state: "calls", call: i });
    await new Promise((next) => setTimeout(next));
    if (turn !== mine) return;
    const made = call(JSON.stringify(parameters), JSON.stringify(given));
    if (failed(made)) return;
    returned.push(made.value);
  }
  report({ state: "returned", returned });
}
addEventListener("message", ({ source, data }) => {
  if (source === parent && data.python) run(data.python).finally(() => tell({ state: "ended", turn: data.python.turn }));
});
tell({ state: "listens" });
`;

/** @typedef {(message: Record<string, unknown>) => void} Hear */

/**
 * A run of the reader's program.
 *
 * @typedef {object} Run
 * @property {string} code
 * @property {string} name  of the function that is called
 * @property {readonly string[]} parameters
 * @property {readonly (readonly unknown[])[]} inputs
 */

/** @type {Map<string, Promise<Blob>>} */
const read = new Map();

/** @type {{ frame: Sandbox, ready: Promise<void>, fail: (error: Error) => void } | undefined} */
let now;
/** @type {Hear | undefined} */
let listener;
let turn = 0;

/** Whether all files are on this machine. */
let isHere = false;

/** Whether nothing more is downloaded. */
export const isDownloaded = () => isHere;

/**
 * Starts Python, unless it runs.
 *
 * @param {(words: string) => void} say  how far it is
 * @throws {Error} if a file cannot be read, or is not what it must be; or it is ended
 */
export async function start(say) {
  if (now) return now.ready;
  const place = make("div", { hidden: true });
  document.body.append(place);
  const { promise: ready, resolve: listens, reject: fail } = later();
  const frame = sandbox(place, "Python", (message) => {
    if (message.state === "listens") listens();
    else if (message.turn === turn) listener?.(message);
    else if (message.state === "failed") fail(new Error(`Python did not start: ${message.words}`));
  });
  const mine = (now = { frame, ready, fail });
  begin(frame, say).catch(fail);
  try {
    await ready;
  } catch (error) {
    if (now === mine) end();
    throw error;
  }
}

/** A promise and what settles it. */
function later() {
  /** @type {() => void} */
  let resolve;
  /** @type {(error: Error) => void} */
  let reject;
  const promise = /** @type {Promise<void>} */ (
    new Promise((come, refuse) => ([resolve, reject] = [come, refuse]))
  );
  // @ts-expect-error The promise has set both.
  return { promise, resolve, reject };
}

/** @param {Sandbox} frame @param {(words: string) => void} say */
async function begin(frame, say) {
  const [blobs] = await Promise.all([download(say), frame.ready]);
  isHere = true;
  say("Python starts …");
  const { loader, glue, core, library, numpy } = blobs;
  /** @type {[string, Blob][]} */
  const files = [
    ["pyodide.asm.wasm", core],
    ["python_stdlib.zip", library],
    ["numpy.whl", numpy],
    ["pyodide-lock.json", new Blob([JSON.stringify(LOCK)])],
    ["program.py", new Blob([calls, program])],
  ];
  const modules = { pyodide: loader, "pyodide-glue": glue };
  const named = Object.fromEntries(files.map(([name, blob]) => [FOLDER + name, blob]));
  frame.send({ program: { code: WITHIN, modules, files: named } });
}

/** Runs a program, and ends the one before. @param {Run} run @param {Hear} hear */
export function send(run, hear) {
  listener?.({ state: "ended" });
  listener = hear;
  now?.frame.send({ python: { turn: ++turn, ...run } });
}

/** Ends Python, and the program that it runs. */
export function end() {
  now?.frame.element.parentElement?.remove();
  now?.frame.remove();
  now?.fail(new Error("Stopped."));
  now = listener = undefined;
}

/** All files, by their parts. @param {(words: string) => void} say */
async function download(say) {
  const size = Object.values(FILES).reduce((sum, file) => sum + file.size, 0);
  let sum = 0;
  const add = (/** @type {number} */ bytes) => {
    sum += bytes;
    const percent = Math.floor((100 * sum) / size);
    if (!isHere) say(`Python is downloaded from ${HOST}: ${percent} % …`);
  };
  const parts = Object.entries(FILES).map(async ([part, { address }]) => {
    const blob = read.get(address) ?? fetched(part, add);
    read.set(address, blob);
    blob.catch(() => read.delete(address)); // the next run asks again
    return [part, await blob];
  });
  return /** @type {Record<keyof typeof FILES, Blob>} */ (
    Object.fromEntries(await Promise.all(parts))
  );
}

/** @param {string} part @param {(bytes: number) => void} add */
async function fetched(part, add) {
  const { address, size, sha256, type } = FILES[/** @type {keyof typeof FILES} */ (part)];
  if (!globalThis.crypto?.subtle) {
    throw new Error(
      "Python needs a page with a secure address (https), to check what it downloads.",
    );
  }
  const all = new Uint8Array(size);
  let at = 0;
  try {
    const response = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const { length } = next.value;
      if (at + length > size) throw new Error("the file is too long");
      all.set(next.value, at);
      at += length;
      add(length);
    }
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new Error(`Python could not be read: ${message}, at ${address}`, { cause: error });
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  if (btoa(String.fromCharCode(...digest)) !== sha256) {
    throw new Error(`Python is not started: the file at ${address} is not the one expected.`);
  }
  return new Blob([all], { type });
}
