import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { load } from "phasor";
import { filesOf } from "../../pages/guides/guide.js";
import { input, shows, workshop } from "./observable/workshop.js";

const { sinusoidal } = await load();

/** @type {Awaited<ReturnType<typeof workshop>>} */
let shop;
before(async () => {
  shop = await workshop();
});
after(() => shop?.close());

test("guide observable: the cells of a classic notebook run in its runtime", async () => {
  const cells = String((await filesOf("observable")).get("cells"))
    .trim()
    .split("\n\n");
  await shop.put("classic/index.html", "<!doctype html><title>classic</title><body></body>");
  const { page, problems } = await shop.open("classic", "");
  await page.evaluate(runCells, cells);
  await shows(page, "body", sinusoidal.table(64, 64).toArray());
  await input(page, "Positions", "range").fill("8");
  await shows(page, "body", sinusoidal.table(8, 64).toArray());
  assert.equal(await page.locator("body > div").count(), cells.length);
  assert.equal(await page.locator(".observablehq--error").count(), 0);
  assert.deepEqual(problems(), []);
});

/**
 * In the page: a notebook as observablehq.com runs it, of Observable's own parser, runtime, inspector
 * and library, which names other builds of Inputs and Plot.
 * @param {string[]} cells  their texts
 */
async function runCells(cells) {
  const from = (/** @type {string} */ name) => import(`https://cdn.jsdelivr.net/npm/${name}/+esm`);
  const [{ Runtime }, { Inspector }, { Library }, { parseCell }] = await Promise.all(
    ["runtime", "inspector", "stdlib", "parser"].map((name) => from(`@observablehq/${name}`)),
  );
  const library = Object.assign(new Library(), {
    Inputs: () => from("@observablehq/inputs"),
    Plot: () => from("@observablehq/plot"),
  });
  const main = new Runtime(library).module();
  for (const text of cells) {
    const { id, body, references } = parseCell(text);
    const inputs = [...new Set(references.map((/** @type {any} */ { name }) => name))];
    const value = Function(...inputs, `return (${text.slice(body.start, body.end)})`);
    const place = document.body.appendChild(document.createElement("div"));
    const variable = main.variable(new Inspector(place));
    if (id?.type === "ViewExpression") {
      const { name } = id.id;
      variable.define(`viewof ${name}`, inputs, value);
      main
        .variable()
        .define(
          name,
          ["Generators", `viewof ${name}`],
          (/** @type {any} */ { input }, /** @type {any} */ view) => input(view),
        );
    } else variable.define(id?.name ?? null, inputs, value);
  }
}
