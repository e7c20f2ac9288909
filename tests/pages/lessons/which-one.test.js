// The lesson that compares schemes: its weights are those of the formulas in plain arithmetic, its costs are counted,
// what it says of longer texts follows from the schemes' definitions, and what extrapolates is the lab's record.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load, Tensor } from "phasor";
import { load as loadLab, optionsOf } from "phasor/lab";
import { atlas } from "phasor/models";
import { COMPARED, reversedBy, weightsOf } from "../../../web/lessons/which-one/compare.js";
import { HEAD, matricesOf, PENALTY } from "../../../web/lessons/order/attend.js";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("which-one");
const phasor = await load();

const [T, D, SEED] = [3, 16, 4];

/** Rows of random numbers. @param {number} rows @param {number} seed */
const random = (rows, seed) => phasor.embedding.create(rows, D, { std: 1, seed }).weights();
const sources = { words: random(T, 1), positions: random(40, 2) };

/** @param {Tensor} rows @returns {number[][]} */
const lists = (rows) => Array.from(rows, ({ data }) => Array.from(data, Number));

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

/** Mean 0 and standard deviation 1. @param {number[]} x */
function normalized(x) {
  const mean = x.reduce((sum, each) => sum + each) / x.length;
  const variance = x.reduce((sum, each) => sum + (each - mean) ** 2, 0) / x.length;
  return x.map((each) => (each - mean) / Math.sqrt(variance + 1e-5));
}

/** Halves are rotated. @param {number[]} x @param {number} t */
function rotated(x, t) {
  const P = x.length / 2;
  return x.map((value, d) => {
    const angle = t * 10000 ** (-(d % P) / P);
    const other = d < P ? -x[d + P] : x[d - P];
    return value * Math.cos(angle) + other * Math.sin(angle);
  });
}

/** The bucket of a distance in both directions: 16 each, 8 exact, the last at 128. @param {number} relative */
function bucket(relative) {
  const n = Math.abs(relative);
  const far = Math.min(15, 8 + Math.floor((Math.log(n / 8) / Math.log(16)) * 8));
  return (relative > 0 ? 16 : 0) + (n < 8 ? n : far);
}

/** The weights of a scheme in plain arithmetic. @param {string} scheme @param {number} from */
function byHand(scheme, from) {
  const positions = lists(sources.positions);
  const x = lists(sources.words).map((word, t) => {
    const wave = word.map((_, d) => {
      const angle = (from + t) * 10000 ** (-(d - (d % 2)) / D);
      return d % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
    });
    const row = word.map((value, d) => {
      if (scheme === "learnedPositions") return value + positions[from + t][d];
      return scheme === "sinusoidal" ? value * Math.sqrt(D) + wave[d] : value;
    });
    return normalized(row);
  });
  const matrices = matricesOf(phasor, D, SEED);
  const [q, k] = [matrices.q, matrices.k].map((matrix) =>
    x.map((row, t) => {
      const made = lists(matrix).map((each) => dot(each, row));
      return scheme === "rope" ? rotated(made, from + t) : made;
    }),
  );
  const table = phasor.embedding.create(32, 1, { std: 1, seed: SEED }).weights().data;
  return q.map((query, i) => {
    const scores = k.map((key, j) => {
      const bias = { alibi: -PENALTY * Math.abs(i - j), t5Bias: Number(table[bucket(j - i)]) };
      return dot(query, key) / Math.sqrt(HEAD) + (bias[/** @type {"alibi"} */ (scheme)] ?? 0);
    });
    const powers = scores.map((score) => Math.exp(score));
    const total = powers.reduce((sum, each) => sum + each);
    return powers.map((power) => power / total);
  });
}

test("the weights of each scheme are those of its formula, wherever the sentence begins", () => {
  for (const scheme of COMPARED) {
    for (const from of [0, 1, 30]) {
      const found = Array.from(weightsOf(phasor, sources, scheme, from, SEED).data, Number);
      const wanted = byHand(scheme, from).flat();
      const apart = Math.max(...found.map((x, i) => Math.abs(x - wanted[i])));
      assert.ok(apart < 1e-5, `${scheme} from ${from}: ${apart}`);
    }
  }
});

test("reversed: the change is that between the pairs of words", () => {
  const words = new Tensor(
    Float32Array.from(lists(sources.words).reverse().flat()),
    sources.words.shape,
  );
  for (const scheme of COMPARED) {
    const [typed, other] = [sources.words, words].map((each) =>
      lists(weightsOf(phasor, { ...sources, words: each }, scheme, 0, SEED).reshape(T, T)),
    );
    let apart = 0;
    for (let i = 0; i < T; ++i) {
      for (let j = 0; j < T; ++j) {
        apart = Math.max(apart, Math.abs(typed[i][j] - other[T - 1 - i][T - 1 - j]));
      }
    }
    assert.equal(reversedBy(phasor, sources, scheme, SEED), apart, scheme);
  }
});

test("words in front change the weights of absolute schemes and of no others", async () => {
  for (const shift of [0, 100]) {
    await set("shift", shift);
    const changes = (await cells("shifted")).numbers.map(([change]) => change);
    for (const [i, scheme] of COMPARED.entries()) {
      const isAbsolute = scheme === "learnedPositions" || scheme === "sinusoidal";
      assert.equal(changes[i] > 0.01, isAbsolute && shift > 0, `${scheme}: ${changes[i]}`);
      assert.ok(changes[i] > 0.01 || changes[i] < 1e-6, `${scheme}: ${changes[i]}`);
    }
    const { numbers } = await cells("weights");
    assert.equal(numbers.length, COMPARED.length);
    for (const row of numbers) {
      for (const part of [row.slice(0, T), row.slice(T)]) {
        assert.ok(Math.abs(part.reduce((sum, each) => sum + each) - 1) < 1e-6, part.join());
      }
    }
  }
});

test("only ALiBi and no positions give the same output for the reverse", async () => {
  const changes = (await cells("reversed")).numbers.map(([change]) => change);
  const blind = COMPARED.filter((_, i) => changes[i] < 1e-6);
  assert.deepEqual(blind, ["none", "alibi"]);
});

test("parameters and operations are counted from the sizes", async () => {
  await set("dim", 1024);
  await set("heads", 16);
  await set("trained", 512);
  await set("length", 2048);
  const parameters = (await cells("parameters")).numbers.map(([each]) => each);
  assert.deepEqual(parameters, [512 * 1024, 0, 0, 0, 32 * 16, 2 * 33 * 64]);
  const { names, numbers } = await cells("operations");
  assert.deepEqual([names[0], names.at(-1)], ["32", "2048"]);
  for (const [i, name] of names.entries()) {
    const length = Number(name);
    const wanted = [4 * 1024, 4 * 64 * 16, 2 * 16, 16].map((each) => each * length);
    assert.deepEqual(numbers[i], [...wanted, 3 * 64 * 2 * 16, 1024]);
  }
  assert.equal(await fact("alibi-share"), "0.781 %"); // 2 H T of 4 D T
  assert.equal(await fact("shaw-share"), "100 %");
  await set("dim", 768);
  await set("heads", 12);
  await set("trained", 1024);
  await set("length", 4096);
});

test("the families are those of the atlas", async () => {
  const counts = (await cells("families")).numbers.map(([each]) => each);
  const all = atlas();
  assert.equal(await fact("families"), String(all.length));
  assert.equal(
    counts.reduce((sum, each) => sum + each),
    all.length,
  );
  assert.equal(counts[2], all.filter(({ scheme }) => scheme === "rope").length);
});

/** @type {import("../../../web/lab/setup.js").Recorded & {tasks: Record<string, any>}} */
const recorded = JSON.parse(
  readFileSync(new URL("../../../web/lab/recorded.json", import.meta.url), "utf8"),
);

/** Mean and deviation as the tables have them. @param {number[]} numbers */
function spread(numbers) {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const squares = numbers.reduce((sum, x) => sum + x * x, 0) - numbers.length * mean * mean;
  const deviation = Math.sqrt(Math.max(0, squares) / (numbers.length - 1));
  return `${mean.toFixed(2)} ± ${deviation.toFixed(2)}`;
}

test("what extrapolates: nothing is told before it is asked", async () => {
  const section = page.locator("section", { has: page.locator("#extrapolates-title") });
  const tables = section.locator("table");
  assert.equal(await tables.count(), 6);
  assert.equal(await tables.first().isVisible(), false);
  assert.doesNotMatch(await section.innerText(), /±|ALiBi|RoPE/);
  assert.match(
    await section.innerText(),
    /twelve schemes[^]* 32 tokens[^]*256 tokens, eight times/,
  );
  assert.equal(await answered("extrapolates", "all"), false);
  assert.equal(await answered("extrapolates", "few"), true);
  assert.ok(await tables.first().isVisible());
  const said = await section.locator(".outcome").innerText();
  for (const words of ["needle: FIRE, 0.96", "text: T5 bias, 1.91"])
    assert.ok(said.includes(words), said);
});

test("what extrapolates: each number is of the record, with its deviation", async () => {
  const regions = page.locator(".extrapolates").first().locator("> [role='region']");
  const names = Object.keys(recorded.tasks);
  assert.equal(await regions.count(), names.length);
  for (const [i, name] of names.entries()) {
    const { rows, lengths } = recorded.tasks[name];
    const found = await regions.nth(i).locator("tr").evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent?.trim())),
    ); // prettier-ignore
    assert.deepEqual(found[0], ["Scheme", ...lengths.map((/** @type {number} */ n) => `${n} tokens`)]); // prettier-ignore
    assert.equal(found.length, 1 + rows.length);
    for (const [r, row] of rows.entries()) {
      const all = row[name === "text" ? "loss" : "accuracy"];
      const numbers = lengths.map((/** @type {number} */ _, /** @type {number} */ at) =>
        spread(all.map((/** @type {number[]} */ seed) => seed[at])),
      );
      assert.deepEqual(found[r + 1].slice(1), numbers, `${name}: ${found[r + 1][0]}`);
    }
    const titles = found.slice(1).map(([title]) => title);
    assert.equal(new Set(titles).size, 15);
    assert.deepEqual(titles.slice(4, 7), ["RoPE, linear", "RoPE, NTK", "RoPE, YaRN"]);
  }
});

test("what extrapolates: the longer tasks have the numbers of their record", async () => {
  const longer = JSON.parse(
    readFileSync(new URL("../../../web/lab/longer.json", import.meta.url), "utf8"),
  );
  for (const name of /** @type {const} */ (["induction", "addition"])) {
    const region = page.locator(`[role="region"][aria-label="What extrapolates: ${name}"]`);
    const found = await region.locator("tbody tr").evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim())),
    ); // prettier-ignore
    const expected = longer[name].map((/** @type {{accuracy: number[][]}} */ { accuracy }) =>
      accuracy[0].map((_, at) => spread(accuracy.map((seed) => seed[at]))),
    );
    assert.deepEqual(found, expected);
  }
});

test("what extrapolates: the commands and the entry to cite are those of the record", async () => {
  const file = (/** @type {string} */ name) => page.locator(`[data-file="${name}"] code`).innerText(); // prettier-ignore
  const entry = await file("what-extrapolates.bib");
  assert.match(entry, /^@misc\{phasor-what-extrapolates,\n[^]*\n\}$/);
  for (const words of [
    recorded.date,
    recorded.command,
    `{${recorded.date.slice(0, 4)}}`,
    "{What extrapolates: 12 position schemes trained on 32 tokens and tested on 256}",
  ])
    // prettier-ignore
    assert.ok(entry.includes(words), `${words} in ${entry}`);
  const [first, small, text] = (await file("terminal")).split("\n");
  assert.equal(first, recorded.command);
  for (const [line, { seeds, steps, learningRate, dim, heads }] of /** @type {[string, any][]} */ ([
    [small, recorded.settings.small],
    [text, recorded.settings.text],
  ])) {
    assert.ok(line.includes(`--seeds ${seeds} --steps ${steps} --rate ${learningRate} `), line);
    assert.ok(line.includes(`--dim ${dim} --heads ${heads} `), line);
  }
  const { lab } = await loadLab(); // the command line makes tasks of default options
  for (const name of /** @type {const} */ (["back", "needle", "latest"])) {
    const options = Object.entries(optionsOf(lab.tasks[name])).map(([option, of]) => [option, of.default]); // prettier-ignore
    assert.deepEqual(Object.fromEntries(options), recorded.tasks[name].options);
    assert.ok(small.includes(` ${name} `), small);
  }
});

test("what extrapolates: it fits a phone, and its tables can be reached by keys", async () => {
  await page.setViewportSize({ width: 375, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const region = page.getByRole("region", { name: "What extrapolates: 3 back" });
  await region.focus();
  assert.ok(await region.evaluate((place) => place === document.activeElement));
  assert.ok(
    await region.evaluate((place) => place.scrollWidth <= place.clientWidth),
    "all columns",
  );
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("ALiBi's weight of a far token is that of its slopes", async () => {
  assert.equal(await answered("exercise-far", "alibi"), true);
  const said = await page.locator('[data-question="exercise-far"] .outcome').innerText();
  const weights = Array.from({ length: 8 }, (_, h) => {
    const factor = Math.exp(-(2 ** -(h + 1)));
    return (factor ** 3000 * (1 - factor)) / (1 - factor ** 4096);
  });
  const mean = weights.reduce((sum, each) => sum + each) / 8;
  const [digits, power] = mean.toExponential(2).split("e-");
  assert.equal(power, "9");
  assert.ok(said.includes(`It gets ${Number(digits)}\u00a0×\u00a010⁻⁹`), said);
  assert.ok(said.includes("11.7 higher"), said); // 3000 / 256
});

test("its questions have these answers, and the guess is marked in the figures", async () => {
  assert.equal(await answered("shift", "scores"), false);
  const marked = (await cells("shifted")).names.filter((name) => name.includes("your guess"));
  assert.deepEqual(marked, ["ALiBi (your guess: 0)", "T5's bias (your guess: 0)"]);
  assert.equal(await answered("shift", "relative"), true);
  assert.equal(await answered("reversed", "alibi"), true);
  assert.equal(await answered("parameters", "sums"), false);
  assert.deepEqual((await cells("parameters")).names.slice(0, 3), [
    "Learned table (your guess: grows)",
    "Sinusoids (your guess: grows)",
    "RoPE",
  ]);
  assert.equal(await answered("parameters", "learned"), true);
  assert.equal(await answered("operations", "scores"), true);
  assert.equal(await answered("beyond", "t5Bias"), true);
  assert.equal(await answered("exercise-small", "learnedPositions"), true);
  assert.equal(await answered("exercise-packed", "learnedPositions"), true);
  assert.equal(await answered("exercise-continue", "rope"), true);
  assert.equal(await answered("exercise-reason", "numbers"), true);
  assert.deepEqual(problems, []);
});
