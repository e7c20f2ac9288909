import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { load } from "phasor";
import { figures } from "phasor/plots";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { javascript } from "../../../web/playground/code/javascript.js";
import { jupyter } from "../../../web/playground/code/jupyter.js";
import { observable } from "../../../web/playground/code/observable.js";
import { pytorch } from "../../../web/playground/code/pytorch.js";
import { asTensor, print, quote } from "../../../web/playground/program.js";
import { cases, differences } from "./cases.js";

const phasor = await load();
const { document } = parseHTML("<!doctype html><html><body></body></html>");

/** Figures as in a page, as text. @param {object} given */
const drawing = (given) => figures({ ...given, document });

const AsyncFunction = /** @type {any} */ ((async () => {}).constructor);

/**
 * Runs a module's text as it stands, but for its imports, which are handed to it, and its last line.
 * @param {string} code @param {Record<string, unknown>} given  what it imports
 */
async function run(code, given) {
  const body = code.replace(/^import .*$/gm, "");
  return AsyncFunction(...Object.keys(given), body)(...Object.values(given));
}

for (const [scheme, all] of cases) {
  test(`${scheme.name}: its JavaScript makes the picture's numbers, bit for bit`, async () => {
    for (const settings of all) {
      for (const view of scheme.views) {
        const code = javascript(phasor, scheme, settings, view);
        /** @type {any[]} */
        const logged = [];
        await run(code, { load, console: { log: (/** @type {any} */ x) => logged.push(x) } });
        const wanted = scheme.tensor(phasor, settings, view);
        const made = asTensor(logged[0]);
        const where = `${view} ${differences(settings, all[0])}`;
        assert.deepEqual(made.shape, wanted.shape, where);
        assert.equal(made.dtype, wanted.dtype, where);
        assert.deepEqual(Buffer.from(made.data.buffer), Buffer.from(wanted.data.buffer), where);
      }
    }
  });

  test(`${scheme.name}: its Observable cell displays the picture`, async () => {
    for (const view of scheme.views) {
      const code = observable(phasor, scheme, all[0], view);
      /** @type {unknown[]} */
      const displayed = [];
      const display = (/** @type {unknown} */ x) => displayed.push(x);
      await run(code, { load, figures: drawing, Plot, display });
      assert.match(String(displayed[0]), /^<svg /, view);
    }
  });
}

test("notebook cells and PyTorch programs are Python", () => {
  const programs = cases.flatMap(([scheme, all]) =>
    all.flatMap((settings) =>
      scheme.views.flatMap((view) => [
        jupyter(phasor, scheme, settings, view),
        pytorch(scheme, settings, view),
      ]),
    ),
  );
  const parse = [
    "import ast, json, sys",
    "for text in json.load(sys.stdin):",
    "    compile(text, 'cell', 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)",
  ].join("\n");
  const { status, stderr } = spawnSync("python3", ["-c", parse], {
    input: JSON.stringify(programs),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
});

test("strings in programs are literals, whatever they hold", () => {
  const hostile = `"; alert(1); // \u2028 \\ \n </script> """`;
  assert.equal(JSON.parse(quote(hostile)), hostile);
  assert.doesNotMatch(quote(hostile), /[\n\u2028\u2029]/);
  assert.equal(print({ "a-b": hostile, c: [1, -0] }), `{ "a-b": ${quote(hostile)}, c: [1, -0] }`);
});
