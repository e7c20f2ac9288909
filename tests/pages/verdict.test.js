// What a page says about an answer, and what it keeps.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { verdictOf } from "../../web/app/questions/verdict.js";
import { readQuantity } from "../../web/app/read-number.js";
import { root } from "../../web/app/root.js";

/** @typedef {import("../../web/app/questions/verdict.js").NumberJudgement} NumberJudgement */

Object.assign(globalThis, { location: new URL("lessons/rope/index.html", root) }); // as in a browser
const { answersOf, forget, keep, keptOf, progress } =
  await import("../../web/app/questions/kept.js");

/**
 * The verdict on a written number, at the first of two tries.
 * @param {string} text @param {Partial<NumberJudgement> & { answer: number }} judgement @param {string} [unit]
 */
function first(text, judgement, unit = "") {
  const given = readQuantity(text);
  assert.ok(given);
  return verdictOf(given, { because: "the reason", ...judgement }, { unit, isLast: false });
}

test("a number: the solution comes with the right answer or after the last", () => {
  const judgement = { answer: 8, within: 0.01, because: "√64 is 8." };
  const judge = (/** @type {number} */ value, /** @type {boolean} */ isLast) =>
    verdictOf({ value, unit: "" }, judgement, { isLast });
  assert.deepEqual(judge(8.005, false), {
    ...{ right: true, done: true, words: "Yes. √64 is 8.", hint: false, others: [] },
  });
  assert.deepEqual(judge(300, false), {
    ...{ right: false, done: false, words: "Not yet.", hint: true, others: [] },
  });
  assert.deepEqual(judge(300, true), {
    ...{ right: false, done: true, words: "No. √64 is 8.", hint: false, others: [] },
  });
});

test("a number: near misses are recognized, and do not give the answer away", () => {
  /** @type {readonly [string, number, number, string, RegExp][]} */
  const cases = [
    ["1.25", -1.25, 0, "", /Check the sign/],
    ["20", 10, 0, "pairs", /factor of 2/],
    ["5", 10, 0, "", /factor of 2/],
    ["83", 83000, 500, "", /power of ten/],
    ["0.5", 0.05, 0, "", /power of ten/],
    ["6280", 6.28, 0.01, "", /power of ten/],
    ["11", 10, 0, "pairs", /one too many or one too few/],
    ["62", 62.83, 0.5, "positions", /one too many or one too few/],
    ["0.125", 8, 0, "", /reciprocal/],
    ["1002", 1050.67, 1, "MB", /in MiB.*asks for it in MB/],
    ["1,002 MiB", 1050.67, 1, "MB", /asks for it in MB/],
    ["1051 GB", 1050.67, 1, "MB", /number is right, but not in GB/],
    ["1.051 GB", 1050.67, 1, "MB", /size is right.*in MB/],
    ["28.65", 0.5, 0.001, "radians", /answer in (°|deg)/],
    ["90°", Math.PI / 2, 0.01, "radians", /size is right.*radians/],
  ];
  for (const [text, answer, within, unit, said] of cases) {
    const { right, done, words, hint } = first(text, { answer, within }, unit);
    assert.deepEqual([right, done, hint], [false, false, false], text);
    assert.match(words, said, text);
    assert.ok(!words.includes(String(answer)), words);
  }
  assert.equal(first("1051 MB", { answer: 1051 }, "MB").right, true);
  assert.equal(first("12 %", { answer: 0.12 }).right, true);
  assert.equal(first("12 %", { answer: 12 }, "%").right, true);
  assert.equal(first("4 rows", { answer: 4 }, "vectors").right, true);
  assert.equal(first("0", { answer: 0 }).right, true);
  assert.equal(first("3", { answer: 0 }).hint, true);
});

test("a number: general remarks are made only where they have a sense", () => {
  /** @type {readonly [string, number, string][]} */
  const cases = [
    ["7", 8, ""], // a length, which is no count
    ["9", 8, ""],
    ["63", 64, ""],
    ["7", 8, "heads"], // so near that it gives the answer away
    ["1", 10, ""], // one digit, which says nothing
    ["100", 10, "digits"],
    ["11", 12, "MB"],
    ["1", 1000, ""],
  ];
  for (const [text, answer, unit] of cases) {
    const { words, hint } = first(text, { answer }, unit);
    assert.deepEqual([words, hint], ["Not yet.", true], `${text} for ${answer} ${unit}`);
  }
});

test("a number: the judge's own feedback comes before the general feedback", () => {
  const near = [{ value: 16, because: "Those are the tokens, not the pairs." }];
  assert.match(first("16", { answer: 8, near }).words, /^Not yet\. Those are the tokens/);
  assert.equal(first("17", { answer: 8, near }).hint, true);
});

test("options: each has separate feedback, and that of the others can be read afterwards", () => {
  const because = { a: "A is slow.", b: "B is it.", c: "C is fast." };
  const verdict = verdictOf("a", { answer: "b", because }, { isLast: true });
  assert.deepEqual(verdict, {
    ...{ right: false, done: true, words: "No. A is slow.", hint: false },
    solution: { value: "b", words: "B is it." },
    others: [{ value: "c", words: "C is fast." }],
  });
  const right = verdictOf("b", { answer: "b", because }, { isLast: true });
  assert.equal(right.words, "Yes. B is it.");
  assert.deepEqual(
    right.others.map(({ value }) => value),
    ["a", "c"],
  );
  const early = verdictOf("a", { answer: "b", because }, { isLast: false });
  assert.deepEqual(
    [early.words, early.hint, early.solution, early.others],
    ["Not yet. A is slow.", true, undefined, []],
  );
  assert.throws(
    () => verdictOf("d", { answer: "b", because }, { isLast: true }),
    /no words about d/,
  );
});

test("options: numbers that the verdict has said are not said again by the solution", () => {
  const found = "The outputs are 1.48 apart, those of “dog” 0.9.";
  const because = { same: `The vectors differ. ${found}`, other: `${found} Keys have positions.` };
  const { words, solution } = verdictOf("same", { answer: "other", because }, { isLast: true });
  assert.equal(words, `No. The vectors differ. ${found}`);
  assert.deepEqual(solution, { value: "other", words: "Keys have positions." });
});

test("options: a common reason is withheld until the last try", () => {
  const judge = (/** @type {boolean} */ isLast) =>
    verdictOf("a", { answer: "b", because: "B is it." }, { isLast });
  assert.deepEqual([judge(false).words, judge(false).hint], ["Not yet.", true]);
  assert.deepEqual([judge(true).words, judge(true).solution?.value], ["No. B is it.", "b"]);
});

test("a curve: the verdict names the largest error and its place", () => {
  const curve = Array.from({ length: 65 }, (_, i) => /** @type {const} */ ([i, 1 - i / 64]));
  const judgement = { curve, within: 0.1, because: "It falls." };
  /** @param {(x: number) => number} of */
  const drawn = (of) => {
    const points = [0, 16, 32, 48, 64].map((x) => /** @type {[number, number]} */ ([x, of(x)]));
    return verdictOf({ points, variable: "k" }, judgement, { isLast: true });
  };
  assert.equal(drawn((x) => 1 - x / 64).right, true);
  const flat = drawn(() => 1);
  assert.equal(flat.right, false);
  assert.match(
    flat.words,
    /0\.5 off on average.*k = 64: you drew 1, the computed value is 0\..*falls/,
  );
});

/** Curves as lessons have them, and a looser drawing of each that is right. @type {Record<string, { of: (x: number) => number, loose: (x: number) => number, within: number }>} */
const shapes = {
  "a fall that flattens": {
    of: (x) => 0.5 + 0.5 * Math.exp(-6 * x),
    loose: (x) => Math.max(0.45, 1 - 2 * x),
    within: 0.15,
  },
  "a rise that flattens": {
    of: (x) => 1 - 0.7 * Math.exp(-2.5 * x),
    loose: (x) => Math.min(1, 0.25 + 1.2 * x),
    within: 0.15,
  },
  "a rise that steepens": { of: (x) => 8 ** x, loose: (x) => 1 + 7 * x ** 1.5, within: 1.5 },
  "a step": {
    of: (x) => 1 + 7 / (1 + Math.exp(-20 * (x - 0.6))),
    loose: (x) => (x < 0.6 ? 1 : 8),
    within: 2,
  },
  "waves that die away": {
    of: (x) => 0.3 + 0.6 * Math.exp(-5 * x) + 0.3 * Math.cos(18 * x) * (1 - x),
    loose: (x) => 0.2 + 0.8 * Math.exp(-8 * x),
    within: 0.3,
  },
};

test("a curve: near it, flat and straight lines and mirrored curves are wrong, loose drawings are right", () => {
  const xs = Array.from({ length: 17 }, (_, i) => i / 16);
  for (const [name, { of, loose, within }] of Object.entries(shapes)) {
    const curve = Array.from({ length: 65 }, (_, i) => /** @type {const} */ ([i / 64, of(i / 64)]));
    const judged = (/** @type {(x: number) => number} */ drawn) =>
      verdictOf(
        { points: xs.map((x) => [x, drawn(x)]), variable: "x" },
        { curve, within, because: "" },
        { isLast: true },
      );
    assert.equal(judged(of).right, true, name);
    assert.equal(judged(loose).right, true, `${name}: ${judged(loose).words}`);
    const ys = xs.map(of);
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    /** @type {((x: number) => number)[]} */
    const wrong = [(x) => of(1 - x), (x) => low + high - of(x)];
    for (let i = 0; i <= 20; ++i) {
      const from = low + (i / 20) * (high - low);
      for (let k = 0; k <= 20; ++k) {
        const to = low + (k / 20) * (high - low);
        wrong.push((x) => from + x * (to - from)); // flat where they are equal
      }
    }
    let near = 0;
    for (const drawn of wrong) {
      const { right, words } = judged(drawn);
      assert.equal(right, false, `${name}: ${drawn(0)} to ${drawn(1)} is right`);
      if (words.includes("but it has a different shape")) ++near;
    }
    assert.ok(near > 0, `${name}: none of the lines is near`);
  }
});

// --- what is kept ------------------------------------------------------------------------------------

const kept = {
  ...{ answer: "8", tries: 2, wrong: 1, right: true, first: false, shown: false },
  ...{ settings: { dim: 64 }, time: "2026-01-02T00:00:00.000Z" },
};

/** @type {Map<string, string>} */
const stored = new Map();

beforeEach(() => {
  stored.clear();
  storeIn();
});

/** @param {Partial<Storage>} [storage] */
function storeIn(storage = {}) {
  const localStorage = {
    getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ text) => void stored.set(key, text),
    ...storage,
  };
  Object.assign(globalThis, { localStorage });
}

test("groups: it says how many are right, and is done", () => {
  const judgement = { sorted: { a: "one", b: "other" }, because: { a: "", b: "" } };
  const judge = (/** @type {Record<string, string>} */ given) =>
    verdictOf(given, judgement, { isLast: true });
  assert.deepEqual(judge({ a: "one", b: "one" }), {
    ...{ right: false, done: true, words: "1 of 2 are right.", hint: false, others: [] },
  });
  assert.deepEqual(judge({ a: "one", b: "other" }), {
    ...{ right: true, done: true, words: "Yes: all 2 are right.", hint: false, others: [] },
  });
});

test("answers are kept by page and question under one versioned key", () => {
  keep("norm", kept, 5);
  keep("angle", { ...kept, tries: 1, wrong: 0, first: true, time: "2026-01-01T00:00:00.000Z" }, 5);
  keep("seen", { ...kept, answer: "", tries: 0, right: false, shown: true }, 5);
  assert.deepEqual([...stored.keys()], ["phasor-answers-1"]);
  assert.deepEqual(keptOf("lessons/rope/").answers.norm, kept);
  assert.deepEqual(progress(), { "lessons/rope/": { of: 5, answered: 2, right: 2, first: 1 } });
  assert.deepEqual(
    answersOf().map(({ page, question, tries, right, first, settings }) => [
      ...[page, question, tries, right, first, settings.dim],
    ]),
    [
      ["lessons/rope/", "angle", 1, true, true, 64],
      ["lessons/rope/", "norm", 2, true, false, 64],
    ],
  );
  forget();
  assert.deepEqual(progress(), {});
});

test("a storage with other content, or one that throws, is ignored", () => {
  for (const text of [
    "",
    "no JSON",
    "5",
    "null",
    "[1]",
    '{"lessons/rope/":3}',
    '{"x":{"answers":{"q":1}}}',
  ]) {
    stored.set("phasor-answers-1", text);
    assert.deepEqual(progress(), {}, text);
    assert.deepEqual(keptOf().answers, {}, text);
    keep("norm", kept, 5);
    assert.equal(progress()["lessons/rope/"].answered, 1, text);
    forget();
  }
  const refuse = () => {
    throw new Error("refused");
  };
  storeIn({ getItem: refuse, setItem: refuse });
  keep("norm", kept, 5);
  assert.equal(keptOf().answers.norm.answer, "8", "it lasts as long as the page");
  forget();
  assert.deepEqual(answersOf(), []);
});
