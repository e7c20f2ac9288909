/** phasor vectors: writes the conformance kit of a model's positions. */
import { join } from "node:path";
import { describe } from "../runtime/check.js";
import { didYouMean } from "../runtime/suggest.js";
import { UsageError, whole } from "./arguments.js";
import { count, some } from "./output.js";
import { configOf, findConfig, HUB } from "./source.js";

const LANGUAGES = ["pytest", "vitest", "rust", "swift", "cpp"];

/** @type {import("./arguments.js").Command} */
export const vectors = {
  name: "vectors",
  operands: "CONFIG",
  least: 1,
  most: 1,
  does: "numbers that a port of the model must give, with tests that name slips",
  options: {
    out: { type: "string", value: "DIR", text: "the folder to write to; required" },
    tests: {
      type: "string",
      value: "NAMES",
      text: `of ${LANGUAGES.join(",")}; all by default; or none`,
    },
    length: { type: "string", value: "T", text: "positions of the first case; 64 by default" },
    seed: { type: "string", value: "N", text: "of queries, keys and tables; 1 by default" },
    ...HUB,
  },
  async run({ operands, options, save }) {
    const { out } = options;
    if (out === undefined) throw new UsageError("--out must be a folder to write to; got none");
    const tests = testsOf(options.tests);
    const length = whole(options.length, "--length") ?? 64;
    const seed = whole(options.seed, "--seed", 0) ?? 1;
    const found = await findConfig(operands[0], options);
    const config = await configOf(found);
    const { vectors } = await import("../oracle/vectors/index.js");
    const { files, leftOut } = await vectors(config, { length, seed, tests });
    for (const [name, content] of Object.entries(files)) {
      await save(join(out, name), content, { isDeep: true });
    }
    const sizes = Object.entries(files).map(([name, content]) => ({
      file: name,
      bytes: Buffer.byteLength(content),
    }));
    const lines = [
      `${out}: ${some(sizes.length, "file")}`,
      ...sizes.map(({ file, bytes }) => `  ${file}, ${count(bytes)} bytes`),
      ...Object.entries(leftOut).map(([name, why]) => `  left out of ${name}: ${why}`),
    ];
    return { data: { out, files: sizes, leftOut }, lines };
  },
};

/** @param {string | undefined} text @returns {any[]} */
function testsOf(text) {
  if (text === "none") return [];
  const words = text?.split(",") ?? LANGUAGES;
  const odd = words.find((word) => !LANGUAGES.includes(word));
  if (odd === undefined) return words;
  const got = `${describe(odd)}${didYouMean(odd, LANGUAGES)}`;
  throw new UsageError(`--tests must be none, or of ${LANGUAGES.join(", ")}; got ${got}`);
}
