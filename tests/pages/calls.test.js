// Below the code of a lesson: the entries of the reference that it calls.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseHTML } from "linkedom";
import { buildPage, page as built } from "../../scripts/site/page.js";
import { setup } from "../../scripts/setup/setup.js";
import { entriesCalled, programsOf } from "../../web/reference/calls.js";

const folder = mkdtempSync(join(tmpdir(), "phasor-calls-"));
after(() => rmSync(folder, { recursive: true }));

const entry = (/** @type {string} */ name, id = name, kind = "function") => ({ name, id, kind });
const pages = /** @type {any} */ ([
  { name: "rope", entries: [entry("rope.apply", "apply"), entry("rope.table", "table")] },
  { name: "load", entries: [entry("load"), entry("Tensor", "Tensor", "class")] },
  { name: "nearest", entries: [entry("nearest")] },
]);

test("the entries that a program calls are those it takes from phasor, each once, in its order", () => {
  const program = `import { load } from "phasor";
    const { rope, nearest } = await load();
    const table = rope.table(4, 8);
    rope.apply(x, rope.table(1, 2)); mine.nearest(1); nearest(x, y); alibi.bias(1);`;
  assert.deepEqual(entriesCalled(program, pages), [
    { name: "rope.table", address: "rope/#table" },
    { name: "rope.apply", address: "rope/#apply" },
    { name: "nearest", address: "nearest/#nearest" },
  ]);
  assert.deepEqual(entriesCalled("nearest(1); rope.table(2)", pages), [], "its own functions");
});

test("the programs of a lesson are found where its script writes them, in other functions and files too", () => {
  writeFileSync(join(folder, "other.js"), "export const far = (x) => `far(${x})`;");
  writeFileSync(
    join(folder, "lesson.js"),
    `import { page } from "../../app/page.js";
     import { far } from "./other.js";
     page({ facts: { a: () => "fact(" }, code: { near: (_, { n }) => \`a(\${n})\${end}\`, "further": far } });
     const end = "; end()";
     function unused() { return "unused()"; }`,
  );
  assert.deepEqual(
    [...programsOf(folder)],
    [
      ["near", "a(); end()"],
      ["further", "far()"],
    ],
  );
});

test("every lesson with code links to the reference below it", async () => {
  await buildPage(await setup(["packages"]));
  const html = readFileSync(join(built, "lessons/sinusoidal/index.html"), "utf8");
  const { document } = parseHTML(html);
  const links = [...document.querySelectorAll(".code-fold")].map((fold) =>
    [...fold.querySelectorAll(".called a")].map((link) => [
      link.textContent,
      link.getAttribute("href"),
    ]),
  );
  assert.deepEqual(links[0], [
    ["sinusoidal.table", "../../reference/sinusoidal/#table"],
    ["heatmap", "../../reference/plots/#heatmap"],
  ]);
  for (const each of links) assert.ok(each.length > 0);
});
