// Recorded attacks as HTML: they are written into the page when the site is built.

/**
 * A record of `npm run x -- fuzz --record` and `npm run x -- mutate --record`.
 * @typedef {object} Recorded
 * @property {string} date @property {string} node
 * @property {Fuzzed} fuzz
 * @property {{ functions: number, core: number, arrays: number }} faults
 * @property {{ functions: number, executions: number, accepted: number, found: number }} [options]
 * @property {{ seconds: number, executions: number, found: number }} [native]
 * @property {{ counts: Record<string, { all: number, mutants: number, killed: number }> }} [mutation]
 *
 * @typedef {object} Fuzzed
 * @property {number} seconds @property {number} seed @property {number} found
 * @property {Record<string, { executions: number, accepted: number, refused: number, found: number, mended: number }>} counts
 * @property {Record<string, number>} python  cases that Python's readers compared
 */

/** What the page has of a record, by the name of `<x-recorded>`. */
export const parts = Object.freeze({ run, files, calls, mutation });

/** What each target reads, and the reader of Python that it is compared with. */
const TARGETS = Object.freeze({
  safetensors: ["safetensors", "safetensors"],
  sharded: ["an index of shards", "json"],
  gguf: ["GGUF", "gguf"],
  npy: [".npy", "npy"],
  npz: [".npz", "npz"],
  "tokenizer.json": ["tokenizer.json", "tokenizer"],
  wordPiece: ["vocab.txt", "lines"],
  words: ["a list of words", "lines"],
  "gguf vocabulary": ["the vocabulary in GGUF", ""],
  "config.json": ["config.json", ""],
  "gguf configuration": ["the configuration in GGUF", ""],
  open: ["a model's folder", ""],
});

/** @param {Recorded} recorded */
function run({ date, node, fuzz }) {
  const executions = Object.values(fuzz.counts).reduce((sum, count) => sum + count.executions, 0);
  const { seconds, seed } = fuzz;
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `<p class="run">The recorded run: ${date}, Node ${node}, ${number(executions)} files in ${time}, seed ${seed}.</p>`;
}

/** @param {Recorded} recorded */
function files({ fuzz }) {
  const lines = Object.entries(fuzz.counts).map(([name, count]) => {
    const [title, python] = TARGETS[/** @type {keyof typeof TARGETS} */ (name)];
    return [
      title,
      number(count.executions),
      `${number(count.accepted)} read, ${number(count.refused)} refused`,
      python in fuzz.python ? number(fuzz.python[python]) : none,
      findings(count.found, count.mended),
    ];
  });
  return table(["File", "Executions", "Outcome", "Compared with Python", "Findings"], lines);
}

/** @param {Recorded} recorded */
function calls({ faults, options, native }) {
  const { functions, core, arrays } = faults;
  const lines = [
    [
      "Each allocation of WebAssembly memory fails, in every function",
      number(core),
      `${functions} functions: OutOfMemoryError, then the same bits`,
      findings(0),
    ],
    [
      "Each typed array of JavaScript cannot be allocated, in every function",
      number(arrays),
      "a RangeError, then the same bits",
      findings(0),
    ],
  ];
  if (options) {
    lines.push([
      "Options and arguments of the declared types, at and beyond their limits",
      number(options.executions),
      `${options.functions} functions: ${number(options.accepted)} computed, the others refused by name`,
      findings(options.found),
    ]);
  }
  if (native) {
    lines.push([
      "Decoders of number formats under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer",
      number(native.executions),
      `${Math.round(native.seconds)} seconds: the bits of the scalar definition, nothing beside the arrays`,
      findings(native.found),
    ]);
  }
  return table(["Attack", "Executions", "Outcome", "Findings"], lines);
}

/** @param {Recorded} recorded */
function mutation({ mutation }) {
  if (!mutation) return "";
  const said = [".js", ".cpp"].map((suffix) => {
    const counts = Object.keys(mutation.counts)
      .filter((file) => file.endsWith(suffix))
      .map((file) => mutation.counts[file]);
    const sum = (/** @type {"all" | "mutants" | "killed"} */ key) =>
      counts.reduce((sum, count) => sum + count[key], 0);
    const [all, mutants, killed] = [sum("all"), sum("mutants"), sum("killed")];
    const what = suffix === ".js" ? "of readers and checks" : "of kernels in C++";
    return `The tests notice <strong>${number(killed)} of ${number(mutants)} changes</strong> in ${counts.length} files
      ${what}: ${((100 * killed) / mutants).toFixed(1)} %, of a random ${Math.round((100 * mutants) / all)} % of the changes.`;
  });
  return `<p class="killed">${said.join(" ")}</p>`;
}

/** @param {number} found @param {number} [mended]  found earlier, and mended */
function findings(found, mended = 0) {
  return mended > 0 ? `${found}; ${mended} earlier, mended` : String(found);
}

const none = "&ndash;";

/** @param {readonly string[]} head @param {readonly string[][]} lines  HTML, the title of each first */
function table(head, lines) {
  const rows = lines.map(([title, ...cells]) => {
    const named = cells.map((cell, i) => `<td data-label="${head[i + 1]}">${cell}</td>`).join("");
    return `<tr><th scope="row">${title}</th>${named}</tr>`;
  });
  return `<table class="attacks">
    <thead><tr>${head.map((title) => `<th scope="col">${title}</th>`).join("")}</tr></thead>
    <tbody>${rows.join("")}</tbody>
  </table>`;
}

/** With a comma after each three digits. @param {number} value */
const number = (value) => value.toLocaleString("en-US");
