// The page of claims: verdicts follow from numbers, which are those of closed forms.

import assert from "node:assert/strict";
import { test } from "node:test";
import { reasons, verdictOf } from "../../web/claims/verdict.js";
import { everyNth } from "../sample.js";
import { until } from "../until.js";
import { violations } from "./axe.js";
import { visit } from "./lessons/lesson.js";

/** What each claim is, by the papers and by arithmetic. */
const verdicts = {
  slow: "not",
  sum: "not",
  queen: "not",
  saturate: "loose",
  drown: "loose",
  fall: "not",
  extrapolate: "loose",
  yarn: "loose",
  reach: "loose",
  odd: "loose",
  onehot: "so",
  blind: "loose",
  linear: "so",
};

const { page, problems, answered } = await visit("claims", "claims/");

/** The cases of a claim: what, the number, and whether it holds. @param {string} name */
const cases = (name) =>
  page
    .locator(`[data-fact="${name}-cases"] tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => Array.from(row.children, (cell) => cell.textContent ?? "")),
    );

/** @param {boolean[]} held */
const made = (held) => held.map((holds) => ({ when: "", number: "", holds }));

test("a verdict follows from the cases and changes with them", () => {
  assert.equal(verdictOf(made([true, true])), "so");
  assert.equal(verdictOf(made([true, false])), "loose");
  assert.equal(verdictOf(made([false, false])), "not");
  const mixed = reasons([
    { when: "one", number: "1", holds: true },
    { when: "two", number: "2", holds: false },
  ]);
  assert.equal(mixed.loose, "The claim holds in 1 of the 2 cases.");
  assert.match(mixed.so, /two: 2\.$/);
  assert.match(mixed.not, /one: 1\.$/);
  assert.equal(reasons(made([true, true])).so, "The claim holds in all 2 cases.");
  assert.equal(reasons(made([false, false])).not, "The claim holds in none of the 2 cases.");
});

test("nothing is computed and no word vectors are read until the vote", async () => {
  const read = await page.evaluate(() =>
    performance.getEntriesByType("resource").filter(({ name }) => name.includes("glove")),
  );
  assert.deepEqual(read, []);
  for (const name of Object.keys(verdicts)) {
    assert.equal(await page.locator(`[data-fact="${name}-cases"]`).isVisible(), false, name);
  }
});

test("a vote is judged once the word vectors can be read again", async () => {
  await page.route(/glove/, (route) => route.abort());
  await page.locator('[data-question="queen"] input[value="not"]').check();
  await page.locator('[data-question="queen"] .ask').click();
  const verdict = page.locator('[data-question="queen"] .verdict');
  await until(async () => (await verdict.innerText()).includes("CANNOT CHECK"), "the refusal");
  await page.unroute(/glove/);
  problems.length = 0; // the browser names the request that was aborted
  assert.equal(await answered("queen", "not"), true);
});

test("a card of each claim leads to it, and has the verdict after the vote alone", async () => {
  const cards = page.locator(".board a");
  const links = await cards.evaluateAll((all) => all.map((card) => card.getAttribute("href")));
  assert.deepEqual(links, Object.keys(verdicts).map((name) => `#${name}-title`)); // prettier-ignore
  const said = () => page.locator(".board b").allInnerTexts();
  assert.deepEqual((await said()).filter((word) => word !== "?"), ["False"], "queen alone was voted on"); // prettier-ignore
  assert.equal(await page.locator('[data-card="queen"]').getAttribute("data-state"), "not");
});

test("each claim has one verdict, which its cases support", async () => {
  const isWanted = everyNth(4); // of the wrong votes
  for (const [name, verdict] of Object.entries(verdicts)) {
    for (const vote of ["so", "loose", "not"]) {
      if (vote !== verdict && !isWanted()) continue;
      assert.equal(await answered(name, vote), vote === verdict, `${name}: ${vote}`);
    }
    assert.ok(await page.locator(`[data-fact="${name}-cases"]`).isVisible());
    const stamp = page.locator(`[data-fact="${name}-cases"] .stamp`);
    assert.equal(await stamp.getAttribute("data-verdict"), verdict);
    const holds = (await cases(name)).map(([, , held]) => held === "holds");
    assert.equal(verdictOf(made(holds)), verdict, name);
  }
});

/** The bound of RoPE's paper, in double. @param {number} distance */
function bound(distance) {
  const thetas = Array.from({ length: 64 }, (_, i) => 10000 ** (-i / 64));
  const partial = (/** @type {number} */ pairs, /** @type {(angle: number) => number} */ of) =>
    thetas.slice(0, pairs).reduce((sum, theta) => sum + of(distance * theta), 0);
  const lengths = thetas.map((_, i) =>
    Math.hypot(partial(i + 1, Math.cos), partial(i + 1, Math.sin)),
  );
  return lengths.reduce((sum, length) => sum + length, 0) / 64;
}

test("what the page says about the fall of RoPE's bound and mean is what they do", async () => {
  const rises = (/** @type {number[]} */ line) => line.filter((y, i) => y > line[i - 1]).length;
  const distances = Array.from({ length: 256 }, (_, i) => i);
  const means = distances.map((n) =>
    Array.from({ length: 64 }, (_, i) => Math.cos(n * 10000 ** (-i / 64))).reduce((a, b) => a + b),
  );
  const shown = (await cases("fall")).map(([, number]) => number);
  assert.deepEqual([shown[0], shown[3]], [rises(means), rises(distances.map(bound))].map(String));
  assert.deepEqual([shown[0], shown[3]], ["114", "115"]);
  const words = await page.locator(".evidence:has([data-fact='fall-cases'])").innerText();
  assert.match(words, /tends to fall .* but with ups and downs/);
  const said = [2000, 5000].map((n) => bound(n).toPrecision(3).replace(/0$/, ""));
  assert.deepEqual(said, ["5.05", "7.6"]);
  assert.ok(words.includes(`${said[0]} at 2,000 tokens and ${said[1]} at 5,000.`), words);
});

test("after all votes the page fits a narrow phone, and axe reports nothing", async () => {
  await page.setViewportSize({ width: 320, height: 740 });
  assert.deepEqual(await violations(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
});

test("the numbers are those of closed forms", async () => {
  // sin t changes its sign at each multiple of π; the last dimension is near 1 all along
  const signs = Math.floor(511 / Math.PI);
  for (const [, number] of await cases("slow")) assert.equal(number, `${signs} and 0`);

  const pairs = Array.from({ length: 64 }, (_, i) => i);
  for (const [index, base] of [10000, 500000].entries()) {
    const slow = pairs.filter((i) => 4096 * base ** (-i / 64) < 2 * Math.PI);
    assert.equal((await cases("extrapolate"))[index + 1][1], String(slow.length));
  }

  const yarn = (await cases("yarn")).map(([, number]) => number);
  assert.deepEqual(yarn, ["1 and 1", "3.9 and 1.78", "8 and 8"]); // (1/(γ + (1 − γ)/8), γ as in the paper and as in its code

  const [head8] = (await cases("reach")).slice(-1);
  const far = Math.exp(-1024 / 256) - Math.exp(-8192 / 256);
  assert.equal(head8[1], `${(100 * far).toPrecision(3)} %`);

  assert.deepEqual(
    (await cases("queen")).map(([, nearest]) => nearest.split(", ")[0]),
    ["king", "king", "king"],
  );
  for (const [, number] of await cases("onehot")) assert.equal(number, "0");
  assert.match((await cases("drown"))[0][1], /^(0\.99\d|1) and 16$/); // √(512 / 2)
  assert.deepEqual(problems, []);
});
