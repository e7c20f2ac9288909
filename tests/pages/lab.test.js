// The lab: the record is drawn at once; a run in workers draws over it with the recorded bits, can be stopped, and is
// restored from its address. More than 20 s of CPU beside other files: decoders are trained, tested and operated on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { atNight } from "../sample.js";
import { safetensors } from "phasor/files";
import { load, optionsOf } from "phasor/lab";
import { pytorch } from "../../src/lab/pytorch.js";
import { lineOf } from "../../web/lab/pool.js";
import { setupOf } from "../../web/lab/setup.js";
import { spreadText } from "../../web/lab/spread.js";
import { until } from "../until.js";
import { bytesOf } from "./browser.js";
import { visit } from "./lessons/lesson.js";
import { setHash, settled } from "./pages.js";

/** @typedef {import("../../web/lab/setup.js").Recorded} Recorded */
/** @type {Recorded} */
const recorded = JSON.parse(
  readFileSync(new URL("../../web/lab/recorded.json", import.meta.url), "utf8"),
);
const { page, problems } = await visit("lab", "lab/");

/** The address of a run of T5's bias alone. */
const NAMES = ["none", "learned", "sinusoidal", "rope", "xpos", "alibi"];
const OTHERS = ["kerple", "sandwich", "fire", "shaw", "cope"];
const only = (/** @type {string[]} */ kept) =>
  [...NAMES, "t5Bias", ...OTHERS]
    .filter((name) => !kept.includes(name))
    .map((name) => `${name}=false`)
    .join("&");

const said = () => page.innerText("#said");
const count = (/** @type {string} */ selector) => page.locator(selector).count();
const titles = () => page.locator(".panel figcaption b").allInnerTexts();

async function runs() {
  await page.click("#run");
  await until(async () => / trained in /.test(await said()), "the run ends");
  await settled(page);
}

test("the record is drawn: every seed is a line, beside the mean, and the table has both", async () => {
  const { rows } = recorded.tasks.back;
  const plain = rows.filter(({ reading }) => reading === null);
  assert.equal(await count(".panel"), 12);
  assert.equal(await count(".panel path.mean"), plain.length);
  assert.equal(await count(".panel path.seed"), plain.length * plain[0].bits.length);
  assert.equal(await count(".panel .wall"), 12);
  const cells = await page.locator('#numbers tr:has-text("T5 bias") td').allInnerTexts();
  assert.match(cells[1], /^1\.00 ± 0\.00$/);
});

/** Mean and deviation of eight positions, as the record has them. @param {Recorded["tasks"]["back"]["rows"][number]} row @param {"accuracy" | "loss"} measure @param {number} end */
function placeOf({ byPosition }, measure, end) {
  const eight = byPosition[measure].slice(end - 8, end).filter((x) => x !== null);
  const mean = eight.reduce((sum, x) => sum + x, 0) / eight.length;
  return `${mean.toFixed(2)} ± ${byPosition.deviation[measure][end / 8 - 1]?.toFixed(2)}`;
}

test("by position: the spread of the seeds is a band, and in the words of the figure and in the table", async () => {
  for (const task of /** @type {const} */ (["needle", "text", "back"])) {
    await setHash(page, `task=${task}&view=position`);
    const measure = task === "text" ? "loss" : "accuracy";
    const rows = recorded.tasks[task].rows.filter(({ reading }) => !reading);
    const labels = await page.locator("#panels svg").evaluateAll((all) => all.map((svg) => svg.getAttribute("aria-label") ?? "")); // prettier-ignore
    const heads = await page.locator("#numbers thead th").allInnerTexts();
    for (const [i, row] of rows.entries()) {
      assert.ok((await count(`.panel[data-scheme="${row.scheme}"] path.band`)) > 0, row.scheme);
      const cells = await page
        .locator(`#numbers tbody tr >> nth=${i}`)
        .locator("td")
        .allInnerTexts();
      for (const end of [32, 64, 128, 256]) {
        const words = placeOf(row, measure, end);
        const where = `${end - 7} to ${end}`;
        assert.ok(labels[i].includes(`at positions ${where} recorded ${words}`), `${words} in ${labels[i]}`); // prettier-ignore
        assert.equal(cells[heads.indexOf(`${measure} at ${where}`) - 1], words);
      }
    }
  }
  await setHash(page, "task=back");
  assert.equal(await count(".panel path.band"), 0);
});

test("by position: a reading has the record of the longest texts alone", async () => {
  const bands = () => count('.panel[data-scheme="rope"] path.band');
  await setHash(page, "view=position&reading=ntk");
  assert.equal(await bands(), 1);
  await setHash(page, "view=position&reading=ntk&factor=4");
  assert.deepEqual([await bands(), await count('.panel[data-scheme="alibi"] path.band')], [0, 1]);
});

test("several seeds are a mean with a standard deviation, one is a number", () => {
  assert.deepEqual([[], [0.5], [0.4, 0.6]].map(spreadText), ["", "0.50", "0.50 ± 0.14"]);
});

test("a run of a seed of the record has its numbers and its bits", async () => {
  await setHash(page, only(["t5Bias", "rope"]));
  assert.deepEqual(await titles(), ["RoPE", "T5 bias"]);
  await runs();
  assert.match(await page.innerText("#bits"), /^Same bits as recorded: the weights of all 2 /);
  for (const scheme of ["rope", "t5Bias"]) {
    const row = recorded.tasks.back.rows.find((one) => one.scheme === scheme && !one.reading);
    const title = scheme === "rope" ? "RoPE" : "T5 bias";
    const [, ...cells] = await page
      .locator(`#numbers tr:has(th:text-is("${title}")):has-text("here") td`)
      .allInnerTexts();
    const numbers = row?.accuracy[0].map((x) => x.toFixed(2)) ?? [];
    assert.deepEqual(cells, [...numbers, row?.bits[0]]);
  }
});

test("a reading tests the trained model again, without a step", async () => {
  const row = recorded.tasks.back.rows.find(({ reading }) => reading === "linear");
  await page.locator("#settings").evaluate((details) => details.setAttribute("open", ""));
  await page.locator('[name="reading"]').selectOption("linear");
  const wanted = row?.accuracy[0][3].toFixed(2);
  const note = page.locator('.panel[data-scheme="rope"] .bits');
  await until(async () => (await note.innerText()) === `here ${wanted}, same bits`, "it is read");
  assert.deepEqual(await titles(), ["RoPE, linear", "T5 bias"]);
  await page.locator('[name="reading"]').selectOption("none");
});

test("inside: the answers of the model and a map for each head", async () => {
  await until(async () => (await count("#looked .map")) === 2, "the maps are drawn");
  assert.match(
    await page.innerText("#looked"),
    /Within the trained length \d+ of 29 answers are right/,
  );
  assert.match(
    await page.innerText("#looked .map figcaption >> nth=0"),
    /^Head 1 looks mostly within T \d+ back/,
  );
});

test("weights by pair: a bar for each wavelength and head, those beyond T apart; none without a rotation", async () => {
  assert.equal(await count("#looked .pairs"), 2);
  assert.equal(await count("#looked .pairs .share"), 16);
  assert.equal(await count("#looked .pairs .unseen"), 12, "two of eight turn within 32 tokens");
  const figure = page.locator("#looked .pairs svg").first();
  const label = (await figure.getAttribute("aria-label")) ?? "";
  assert.match(label, /^Head 1, share by wavelength: 6 tokens 0\.\d\d, 20 tokens .*, 20k tokens /);
  const shares = [...label.matchAll(/ (\d\.\d\d)/g)].map(([, share]) => Number(share));
  const sum = shares.reduce((a, b) => a + b);
  assert.ok(Math.abs(sum - 1) <= 0.04, `${sum} of eight rounded shares`);
  await page.locator('[name="inside"]').selectOption("t5Bias");
  await page.getByText("RoPE and xPos alone turn pairs").waitFor();
  await page.locator('[name="inside"]').selectOption("rope");
});

test("where a head looks: a map of each trained scheme; its words follow the ruler and the head", async () => {
  assert.equal(await count("#looks .map canvas"), 2);
  const words = async () => {
    await settled(page);
    return page.locator("#looks figcaption").allInnerTexts();
  };
  const looked =
    /^(RoPE|T5 bias), head (\d): rows (\d+ to \d+) look mostly (\d+) back \((\d\.\d\d) of its weight\)\.$/;
  /** @param {string} text */
  const parts = (text) => (looked.exec(text) ?? assert.fail(text)).slice(1);
  const [rope, t5] = (await words()).map(parts);
  assert.deepEqual([rope.slice(0, 3), t5.slice(0, 3)], [["RoPE", "1", "25 to 32"], ["T5 bias", "1", "25 to 32"]]); // prettier-ignore
  const brightest = await page.locator("#looks canvas").evaluateAll((all) =>
    all.map((canvas) => {
      const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
      const context = /** @type {HTMLCanvasElement} */ (canvas).getContext("2d");
      const sums = Array.from({ length: 32 }, () => 0);
      for (let row = 24; row < 32; ++row) {
        const { data } = /** @type {CanvasRenderingContext2D} */ (context).getImageData(0, row, width, 1); // prettier-ignore
        for (let back = 0; back <= row; ++back) sums[back] += data[4 * (row - back) + 3] ** 2;
      }
      return [width, height, sums.indexOf(Math.max(...sums))];
    }),
  );
  assert.deepEqual(brightest, [[256, 256, Number(rope[3])], [256, 256, Number(t5[3])]]); // prettier-ignore
  await page.locator('[name="head"]').selectOption("4");
  const others = (await words()).map(parts);
  assert.deepEqual(others.map(([, head]) => head), ["2", "2"], "the last one"); // prettier-ignore
  assert.ok(others.some(([, , , back, share], i) => `${back} ${share}` !== `${[rope, t5][i][3]} ${[rope, t5][i][4]}`)); // prettier-ignore
  await page.locator("#place").press("End");
  assert.deepEqual((await words()).map((text) => parts(text)[2]), ["249 to 256", "249 to 256"]); // prettier-ignore
  await page.locator('[name="head"]').selectOption("1");
  const beyond = (await words()).map(parts);
  assert.deepEqual(beyond[1][3], t5[3], "T5's head looks as far beyond the trained length");
  await page.locator("#place").press("Home");
  for (let at = 8; at < 32; at += 8) await page.locator("#place").press("ArrowRight");
  await settled(page);
});

test("the ruler: its numbers are those of its positions, recorded and here, by keys and by dragging", async () => {
  const row = recorded.tasks.back.rows.find(({ scheme, reading }) => scheme === "rope" && !reading);
  const at = async () =>
    (await page.locator('#there tr:has(th:text-is("RoPE")) td').allInnerTexts()).slice(1);
  const meanAt = (/** @type {number} */ end) => row && placeOf(row, "accuracy", end);
  const place = page.locator("#place");
  assert.equal(await page.innerText("#stands"), "25 to 32");
  assert.equal((await at())[0], meanAt(32));
  assert.equal(await place.getAttribute("data-beyond"), null);
  await place.press("ArrowRight");
  await settled(page);
  assert.equal(await page.innerText("#stands"), "33 to 40");
  assert.match((await place.getAttribute("aria-valuetext")) ?? "", /33 to 40, beyond the trained/);
  const box = await place.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 8 + ((box.width - 16) * 4) / 31, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await settled(page);
  assert.equal(await page.innerText("#stands"), "249 to 256");
  await page.waitForURL(/ruler=256/);
  const [record, here] = await at();
  assert.equal(record, meanAt(256));
  assert.ok(Number(here) < 0.6, here);
  assert.equal(await count(".panel .ruler"), 2);
  await page.locator("#there tr").first().evaluate((row) => row.toggleAttribute("data-kept", true)); // prettier-ignore
  await page.locator('[name="view"][value="step"]').check();
  await settled(page);
  assert.equal(
    await count("#there [data-kept]"),
    1,
    "a drawing keeps rows that it does not change",
  );
  await page.locator('[name="view"][value="length"]').check();
  await page.locator("#bet summary").click();
  await settled(page);
  assert.deepEqual(await at(), ["\u2013", here], "a bet covers the record");
  await page.locator("#bet summary").click();
});

test(
  "surgery: the same weights after each operation, beside the untouched ones",
  atNight,
  async () => {
    const before = await page.locator("#numbers td").last().innerText();
    await page.click("#operate");
    const operating = () => page.innerText("#operating");
    await until(async () => /^RoPE: done/.test(await operating()), "all is tested");
    const labels = await page
      .locator("#operated svg")
      .evaluateAll((all) => all.map((svg) => svg.getAttribute("aria-label") ?? ""));
    assert.equal(labels.length, 8);
    const rows = recorded.tasks.back.rows.filter(({ scheme }) => scheme === "rope");
    const plain = rows.find(({ reading }) => reading === null)?.accuracy[0] ?? [];
    const lengths = [32, 64, 128, 256];
    for (const [title, reading] of [
      ["linear (PI)", "linear"],
      ["NTK", "ntk"],
      ["YaRN", "yarn"],
      ["padding of 5", null],
      ["bfloat16 positions", null],
    ]) {
      const label = labels.find((text) => text.startsWith(`${title}: accuracy `)) ?? "";
      const wanted = rows.find((row) => row.reading === reading)?.accuracy[0] ?? [];
      lengths.forEach((length, i) => {
        const words = `${wanted[i].toFixed(2)} at ${length}, untouched ${plain[i].toFixed(2)}`;
        assert.ok(label.includes(words), `${words} in ${label}`);
      });
    }
    const layout = labels.find((text) => text.startsWith("the other layout: ")) ?? "";
    assert.match(layout, /^the other layout: accuracy 0\.[01]\d at 32, untouched 1\.00;/);
    assert.equal(await page.locator("#numbers td").last().innerText(), before);
  },
);

test("the curves of all views, and the files", async () => {
  for (const view of ["position", "distance", "step", "length"]) {
    await page.locator(`[name="view"][value="${view}"]`).check();
    await settled(page);
    assert.equal(await count("#panels path.here"), 2, view);
  }
  for (const [button, name] of [
    ["csv", /^lab-back\.csv$/],
    ["weights", /^lab-back-rope-1\.safetensors$/],
  ]) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(`#${button}`)]);
    assert.match(file.suggestedFilename(), /** @type {RegExp} */ (name));
  }
});

test("a training as a PyTorch program: its file has the losses of the page", async () => {
  /** @type {string[]} */
  const names = [];
  /** @type {Buffer[]} */
  const files = [];
  for (const button of ["program", "reads"]) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(`#${button}`)]);
    names.push(file.suggestedFilename());
    files.push(await bytesOf(file));
  }
  assert.deepEqual(names, ["run-back-rope-1.py", "run-back-rope-1.safetensors"]);
  const { lab } = await load();
  const task = lab.tasks.back({ symbols: 16, distance: 3 });
  const { length, batch, steps, learningRate, dim, heads, layers } = recorded.settings.small;
  const rope = recorded.tasks.back.rows.find(({ scheme }) => scheme === "rope")?.position;
  const made = { dim, heads, layers, position: /** @type {any} */ (rope), seed: 1, std: { words: 0.5, positions: 0.5 } }; // prettier-ignore
  const training = { length, batch, steps, learningRate };
  const { program, tensors } = pytorch({ lab, optionsOf }, task, { ...made, vocabulary: task.vocabulary }, training); // prettier-ignore
  assert.equal(files[0].toString(), program);
  assert.deepEqual(new Uint8Array(files[1]), safetensors.write(tensors));
  assert.equal(await page.innerText("#copied"), "");
});

/** The line of another seed, as another page would give it. @param {number} seed */
function recordedLine(seed) {
  const rows = recorded.tasks.back.rows.filter(
    ({ scheme, reading }) => ["rope", "t5Bias"].includes(scheme) && !reading,
  );
  const runs = rows.map(({ scheme, accuracy, bits }) => {
    const tests = accuracy[seed - 1].map((accuracy) => ({ accuracy, loss: 0 }));
    return { scheme, seed, tests, bits: bits[seed - 1], isFinal: true };
  });
  const given = { task: "back", length: "", steps: "", dim: "", heads: "", layers: "", std: "" };
  const more = { factor: "8", reading: "none", temperature: 1 };
  return lineOf(recorded, setupOf({ ...given, ...more }, recorded), /** @type {any} */ (runs));
}

test("a class: the line of this page is pooled with that of another seed, and a wrong one is refused", async () => {
  const line = await page.innerText("#line");
  assert.match(line, /^phasor-lab\/1 - rope:1:\S+ t5Bias:1:\S+ [0-9a-f]{8}$/);
  const other = recordedLine(2);
  await page.fill("#lines", [line, other, line, line.slice(0, -3)].join("\n"));
  await settled(page);
  assert.equal(
    await page.innerText("#counted"),
    "3 of 4 lines are pooled. 2 trainings were there before, and count once.",
  );
  assert.match(await page.innerText("#refused"), /^Line 4 is left out: a part of it is missing /);
  assert.equal(await count("#pooled .panel"), 2);
  assert.equal(await count('#pooled [data-scheme="rope"] path.seed'), 2);
  const label = await page.locator('#pooled [data-scheme="rope"] svg').getAttribute("aria-label");
  assert.match(label ?? "", /^RoPE, seeds 1, 2: accuracy .* ± \d\.\d\d at 256, from \d/);
  await setHash(page, `seed=2&${only(["t5Bias", "rope"])}`);
  assert.equal(await page.innerText("#line"), "Run it first.");
  await page.locator('[name="task"][value="needle"]').check();
  await settled(page);
  assert.match(
    await page.innerText("#refused li >> nth=0"),
    /Line 1 is left out: its settings are all as recorded, task 3 back; this page has “task=needle”\.$/,
  );
  await page.fill("#lines", "");
});

test("a run can be stopped, and goes on to the same bits", async () => {
  await setHash(page, `steps=400&${only(["alibi"])}`);
  await page.click("#run");
  await until(() => page.isVisible("#stop"), "it runs");
  await page.click("#stop");
  await until(async () => (await said()) === "Stopped: 0 of 1 trained.", "it has stopped");
  await page.click("#run");
  await until(async () => / trained in /.test(await said()), "the run ends");
  const bits = () => page.locator("#numbers td").last().innerText();
  const stopped = await bits();
  await runs();
  assert.equal(await bits(), stopped);
  assert.match(await page.innerText("#bits"), /^The record has no training with these settings/);
});

test("a bet covers the record, is ordered by keys, and is scored after the run", async () => {
  await setHash(page, `task=back&${only(["t5Bias", "learned"])}`);
  await page.click("#bet summary");
  await settled(page);
  assert.equal(await count(".panel path.mean"), 0);
  await page.locator('[aria-label="T5 bias: up"]').press("Enter");
  assert.match(await page.innerText("#order li >> nth=0"), /T5 bias/);
  await runs();
  assert.match(await page.innerText("#score"), /^You ordered 1 of 1 pairs right\./);
  assert.equal(await count(".panel path.mean"), 2);
});

test(
  "while all schemes train, the page's own thread starts no core, and a task of it makes few elements",
  atNight,
  async () => {
    // Milliseconds depend on what else the machine does; `npm run x -- page-speed lab` reports them.
    await page.addInitScript(() => {
      const seen = { cores: 0, most: 0 };
      Object.assign(globalThis, { seen });
      const counted = {
        /** @param {any} of @param {unknown} self @param {unknown[]} given */
        apply: (of, self, given) => (++seen.cores, Reflect.apply(of, self, given)),
        /** @param {any} of @param {unknown[]} given */
        construct: (of, given) => (++seen.cores, Reflect.construct(of, given)),
      };
      for (const name of Object.getOwnPropertyNames(WebAssembly)) {
        const of = /** @type {any} */ (WebAssembly)[name];
        if (typeof of === "function")
          /** @type {any} */ (WebAssembly)[name] = new Proxy(of, counted);
      }
      new MutationObserver((records) => {
        const made = records.flatMap(({ addedNodes }) => [...addedNodes]);
        const sizes = made.map((node) => 1 + (node instanceof Element ? node.querySelectorAll("*").length : 0)); // prettier-ignore
        seen.most = Math.max(seen.most, sizes.reduce((sum, size) => sum + size, 0)); // prettier-ignore
      }).observe(document, { childList: true, subtree: true });
    });
    await setHash(page, "steps=10&factor=2");
    await page.reload();
    await settled(page);
    await page.evaluate("seen.most = 0"); // of the document and its parts
    await runs();
    const seen = await page.evaluate(() => /** @type {any} */ (globalThis).seen);
    assert.equal(seen.cores, 0);
    assert.ok(seen.most > 12 && seen.most < 600, `${seen.most} elements`); // 245 as measured
    assert.equal(await count("#looks .map"), 12);
    assert.deepEqual(problems, []);
  },
);
