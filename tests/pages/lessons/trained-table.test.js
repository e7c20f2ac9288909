// The lesson on the trained table: lengths, neighbors, analogies and components are those of the
// package on GloVe's own rows.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "phasor";
import { safetensors } from "phasor/files";
import { project } from "../../../scripts/setup/setup.js";
import { capitals, groups } from "../../../web/lessons/trained-table/groups.js";
import { until } from "../../until.js";
import { settled } from "../pages.js";
import { visit } from "./lesson.js";

const data = join(project, "web/data");
const words = (await readFile(join(data, "glove-10k-words.txt"), "utf8")).trimEnd().split("\n");
const file = await safetensors.read(
  new Blob([await readFile(join(data, "glove-10k-100d.safetensors"))]),
);
const rows = await file.tensor("embedding.weight", { scale: "embedding.scale" });
const id = (/** @type {string} */ word) => words.indexOf(word);

const { nearest, pca, similarity, statistics } = await load();
const { page, problems, set, isAt, cells, fact, answered } = await visit("trained-table");

/** Begin long work and wait for its end. @param {string} name @param {RegExp} end  what its note says then */
async function finish(name, end) {
  const action = page.locator(`[data-action="${name}"]`);
  await action.locator(".begin").click();
  await action.getByText(end).waitFor({ timeout: 120_000 });
  await settled(page);
  return action.locator(".note").innerText();
}

test("every word of the groups and of the capitals has a row", () => {
  const all = [...Object.values(groups), ...capitals.flat()].join(" ").split(" ");
  assert.deepEqual(
    all.filter((word) => id(word) < 0),
    [],
  );
});

test("the picture of lengths has every row at its rank", async () => {
  const { numbers } = await cells("lengths");
  const lengths = statistics.norms(rows).data;
  assert.equal(numbers.length, 10_000);
  for (const at of [0, 1, 777, 9999]) {
    const [, rank, length] = numbers[at];
    assert.equal(rank, at + 1);
    assert.equal(Math.fround(length), lengths[at]);
  }
  const order = words.map((_, i) => i).sort((a, b) => lengths[b] - lengths[a]);
  const longest = order.slice(0, 6).map((i) => words[i]);
  assert.equal(await fact("longest"), longest.join(", "));

  // The square of the correlation, by its formula of sums.
  const [n, ys] = [lengths.length, Array.from(lengths, Number)];
  const sum = (/** @type {(y: number, x: number) => number} */ of) =>
    ys.reduce((all, y, i) => all + of(y, Math.log(i + 1)), 0);
  const [sx, sy] = [sum((_, x) => x), sum((y) => y)];
  const share =
    (n * sum((y, x) => x * y) - sx * sy) ** 2 /
    ((n * sum((_, x) => x * x) - sx ** 2) * (n * sum((y) => y * y) - sy ** 2));
  assert.equal(await fact("ranked"), `${Number((100 * share).toPrecision(3))} %`);
});

test("the page does not name the cause of the lengths, which it does not show", async () => {
  assert.equal(await answered("frequent", "longer"), true);
  const verdict = await page.locator('[data-question="frequent"] .verdict').innerText();
  assert.match(verdict, /^Yes\. The mean length of .* The table does not say why\./);
});

test("neighbors are the package's, by each metric, without the word itself", async () => {
  await set("word", "paris");
  for (const metric of /** @type {const} */ (["dot", "euclidean", "cosine"])) {
    await set("metric", metric);
    const { ids } = nearest(rows, rows.row(id("paris")), { k: 10, metric, exclude: id("paris") });
    const { names } = await cells("nearest");
    assert.deepEqual(
      names,
      Array.from(ids.data, (i) => words[i]),
      metric,
    );
  }
  await set("word", "blorp");
  assert.match(await fact("missing-word"), /“blorp”.*“dog” is used instead/);
  await set("word", "dog");
  assert.equal((await cells("nearest")).names[0], "cat");
});

test("an analogy answers queen where the words of the question are left out, else king", async () => {
  assert.equal((await cells("analogy")).names[0], "queen");
  await set("without", "false");
  const { names, numbers } = await cells("analogy");
  assert.deepEqual(names.slice(0, 2), ["king", "queen"]);
  assert.ok(numbers[0][0] > numbers[1][0]);
  await set("without", "true");
  await set("triple", "france paris italy");
  assert.equal((await cells("analogy")).names[0], "rome");
});

test("the capitals are asked for, and are right as often as the package is", async () => {
  const triples = capitals.flatMap(([country, city]) =>
    capitals.filter(([other]) => other !== country).map(([other]) => [country, city, other]),
  );
  const { ids } = nearest.analogy(
    rows,
    triples.map((triple) => triple.map(id)),
    { k: 1 },
  );
  const right = triples.filter(
    ([, , country], i) =>
      words[ids.data[i]] === new Map(capitals.map(([a, b]) => [a, b])).get(country),
  ).length;
  const note = await finish("capitals", /^210 questions/);
  assert.match(note, new RegExp(`: ${right} right with`));
  const among = Number(/(\d+) among all words/.exec(note)?.[1]);
  assert.ok(among > 0 && among < right, `${among} among all words`);
});

test("the map shows each word by its group, and the reader's own", async () => {
  await set("yours", "guitar piano blorp");
  assert.match(await fact("missing-yours"), /“blorp”/);
  const { numbers } = await cells("map");
  assert.equal(numbers.length, 72);
  await set("yours", "river lake sea mountain valley hill");
});

test("the map of all rows becomes that of their components, found in the worker", async () => {
  const first = (await cells("all")).numbers[id("king")];
  assert.equal(Math.fround(first[1]), rows.row(id("king")).data[0]);
  const before = (await cells("shares")).numbers[0].length;
  const note = await finish("whole", /^The first two components capture/);
  const { projected, explainedVarianceRatio: ratio } = pca(rows, { components: 60 });
  const king = (await cells("all")).numbers[id("king")];
  for (const axis of [0, 1]) {
    assert.ok(Math.abs(king[axis + 1] - projected.data[id("king") * 60 + axis]) < 1e-4);
  }
  const shares = (await cells("shares")).numbers;
  assert.equal(shares[0].length, before + 1);
  assert.ok(Math.abs(shares[1][before] - ratio.data[0] - ratio.data[1]) < 1e-6);
  assert.match(note, /9\.47 %/);
});

test("the dot product and the cosine are those of the two arrows", async () => {
  for (const [ax, ay, bx, by] of [
    [3, 1, 1, 2],
    [-2, 0.5, 4, -1],
    [2, 0, 0, 3],
  ]) {
    for (const [name, value] of Object.entries({ ax, ay, bx, by })) await set(name, value);
    const dot = ax * bx + ay * by;
    const cosine = dot / (Math.hypot(ax, ay) * Math.hypot(bx, by));
    const values = (await cells("measures")).numbers.map((row) => row[row.length - 1]);
    assert.ok(Math.abs(values[0] - dot) < 1e-5, `${values[0]} is not ${dot}`);
    assert.ok(Math.abs(values[3] - cosine) < 1e-6, `${values[3]} is not ${cosine}`);
  }
  await set("ax", 0);
  await set("ay", 0);
  assert.match(await fact("product"), /no direction/);
});

test("dragging the tip of an arrow sets its numbers", async () => {
  await set("ax", 3);
  await set("ay", 1);
  const plane = page.locator("#plane svg");
  await plane.scrollIntoViewIfNeeded();
  const box = await plane.boundingBox();
  assert.ok(box);
  const unit = box.width / 9;
  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {const} */ ([box.x + (4.5 + x) * unit, box.y + (4.5 - y) * unit]);
  await page.mouse.move(...at(3, 1));
  await page.mouse.down();
  await page.mouse.move(...at(-1.1, 2.4));
  await page.mouse.up();
  await isAt("ax", "-1");
  await isAt("ay", "2.5");
  assert.match((await plane.getAttribute("aria-label")) ?? "", /a to \(−1, 2\.5\)/);
});

test("a bar of the figure on prejudice is a difference of two cosines", async () => {
  const { names, numbers } = await cells("leaning");
  assert.equal(names.length, 6);
  const cosine = (/** @type {string} */ one, /** @type {string} */ other) =>
    similarity.pair(rows.row(id(one)), rows.row(id(other)));
  for (const [i, word] of names.entries()) {
    const wanted = cosine(word, "she") - cosine(word, "he");
    assert.ok(Math.abs(Number(numbers[i].at(-1)) - wanted) < 1e-5, word);
  }
  assert.ok(names.indexOf("nurse") < names.indexOf("engineer"));
});

test("the nearest of the words of the groups are counted", async () => {
  const all = Object.entries(groups).flatMap(([group, words]) =>
    words.split(" ").map((word) => ({ group, row: rows.row(id(word)) })),
  );
  const same = all.filter(({ group, row }) => {
    const others = all.filter((other) => other.row !== row);
    const far = (/** @type {(typeof all)[number]} */ other) =>
      similarity.pair(row, other.row, { metric: "euclidean" });
    return others.reduce((a, b) => (far(b) < far(a) ? b : a)).group === group;
  });
  assert.equal(await answered("groups", "most"), true);
  const words = await page.locator('[data-question="groups"] .outcome').innerText();
  assert.match(words, new RegExp(`For ${same.length} of ${all.length} words`));
});

test("the questions have the answers that the table gives", async () => {
  assert.equal(await answered("frequent", "longer"), true);
  assert.equal(await answered("hot", "warm"), false);
  await set("word", "hot");
  assert.match(await page.locator("#nearest").innerText(), /your prediction/);
  assert.equal(await answered("hot", "cold"), true);
  await answered("bias", "he");
  await page.locator("#leaning svg", { hasText: "your guess: none above 0" }).waitFor();
  assert.equal(await answered("king", "king"), true);
  assert.equal(await answered("share", "tenth"), true);
  assert.equal(await answered("longer", "dot"), true);
  assert.equal(await answered("bias", "mixed"), true);
  assert.equal(await answered("exercise-doctor", "doctor"), true);
  assert.equal(await answered("exercise-cosine", "24/25"), true);
  assert.equal(await answered("exercise-half", "24"), true);
  assert.equal(await answered("exercise-half", "25"), false);
  assert.deepEqual(problems, []);
});

test("questions without the table are answered before it comes, those about it once it has come", async () => {
  /** @type {() => void} */
  let release = () => {};
  const released = new Promise((/** @type {(value?: unknown) => void} */ go) => (release = go));
  await page.route("**/glove-10k-100d*", async (route) => {
    await released;
    await route.continue();
  });
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.waitForFunction(() => performance.getEntriesByName("interactive").length > 0);
  const question = (/** @type {string} */ name) => page.locator(`[data-question="${name}"]`);
  const verdictOf = (/** @type {string} */ name) => question(name).locator(".outcome").innerText();
  await question("exercise-cosine").locator("input").fill("24/25");
  await question("exercise-cosine").locator(".ask").click();
  await until(async () => /^Yes/.test(await verdictOf("exercise-cosine")), "a verdict");
  await question("groups").locator('input[value="most"]').check();
  await question("groups").locator(".ask").click();
  await until(async () => /^Computing/.test(await verdictOf("groups")), "it waits");
  assert.equal(await page.evaluate("document.documentElement.dataset.settled"), "false");
  release();
  await settled(page);
  await until(async () => /^Yes/.test(await verdictOf("groups")), "a verdict");
  assert.match(await fact("size"), /^10,000$/);

  await page.route("**/glove-10k-100d*", (route) => route.abort());
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await settled(page);
  await page
    .locator("main .wrong", { hasText: /no answer from the network|Failed to fetch/ })
    .first()
    .waitFor();
});
