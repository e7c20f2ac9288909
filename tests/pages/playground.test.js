// The playground in Chromium: its schemes and views, links, comparisons, pasted configurations, exports and code.
// More than 20 s of CPU beside other files: a view of most schemes is drawn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { npy } from "phasor/files";
import { javascript } from "../../web/playground/code/javascript.js";
import { schemes } from "../../web/playground/schemes/index.js";
import { until } from "../until.js";
import { violations } from "./axe.js";
import { bytesOf } from "./browser.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { everyNth } from "../sample.js";
import { isSweep, setHash, settled } from "./pages.js";
import { cases } from "./playground/cases.js";

/** @typedef {import("playwright-core").Page} Page */

const desktop = { width: 1280, height: 900 };
const phasor = await load();

const { server, browser } = await openSite(serveBuild);
/** The page that the tests share: a new one takes longer than most of them. */
const shared = await browser.newPage({ viewport: desktop });

/** Opens the playground as a new reader, who sees what a link says. @param {string} [hash] */
async function open(hash = "") {
  await shared.page.goto("about:blank"); // else another hash would be no new visit
  shared.problems.length = 0;
  await shared.page.goto(`${server.url}page/playground/${hash}`);
  await settled(shared.page);
  return shared;
}

/** Follows a link in the open playground. @param {string} hash */
async function follow(hash) {
  shared.problems.length = 0;
  await setHash(shared.page, hash);
  return shared;
}

/** @param {Page} page @param {string} id */
const words = (page, id) => page.locator(`#${id}`).innerText();

/** Errors that no control has caused. @param {Page} page */
const errors = (page) => page.locator(".picture-place > .wrong").allInnerTexts();

/** What a figure holds, as text. @param {Page} page @param {string} [place] */
function csv(page, place = "picture") {
  return page.evaluate(
    (id) => /** @type {any} */ (document.querySelector(`#${id} .phasor-figure`)).csv(),
    place,
  );
}

/** @param {Page} page @param {string} id @param {string} text  as a reader types it */
async function type(page, id, text) {
  await page.locator(`#${id}`).fill(text);
  await settled(page);
}

/** The file that an export button gives. @param {Page} page @param {string} place @param {string} label */
async function exported(page, place, label) {
  const menu = page.locator(`#${place} .export`);
  if (!(await menu.evaluate((details) => /** @type {HTMLDetailsElement} */ (details).open))) {
    await menu.locator("summary").click();
  }
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    menu.getByRole("button", { name: label, exact: true }).click(),
  ]);
  return bytesOf(download);
}

test("the playground opens, for all schemes to be visited", async () => {
  const { problems } = await open();
  assert.deepEqual(problems, []);
});

/** Kinds of controls of which a setting is turned. By day that is one of each kind, at night all are. */
const turned = new Set();

/** Of the views of all schemes by day a third is drawn. */
const isDrawn = everyNth(3);

for (const scheme of Object.values(schemes)) {
  const names = scheme.settings.map(({ name }) => name);
  const isKept = (/** @type {{ kind: string }} */ { kind }) =>
    turned.has(kind) || !turned.add(kind);
  const kept = isSweep ? [] : scheme.settings.filter(isKept).map(({ name }) => name);
  const more = kept.length < names.length ? ", and settings on the page change it" : "";
  test(`${scheme.name}: views draw with their program${more}`, async () => {
    const { page, problems } = shared;
    const found = cases.find(([{ name }]) => name === scheme.name)?.[1] ?? [];
    // M-RoPE's width alone is refused: its sections are to be turned with it. Of a scheme without an entry, nothing
    // says which options matter only together with others.
    const isFree = (/** @type {string} */ name) =>
      scheme.conventional || (scheme.name === "mrope" && name === "dim");
    /** @type {Record<string, boolean>} */
    const changes = Object.fromEntries(kept.map((name) => [name, true]));
    const silent = () => names.filter((name) => !changes[name] && !isFree(name));
    for (const settings of found) {
      for (const view of scheme.views) {
        // Further settings are drawn where a control waits for them; at night all are.
        const isWanted = scheme.settings.some(
          ({ name, when }) => silent().includes(name) && when(settings, view),
        );
        if (!isWanted && (settings === found[0] ? !isDrawn() : !isSweep)) continue;
        const entries = names
          .filter((name) => settings[name] !== found[0][name])
          .map((name) => [name, String(settings[name])]);
        const hash = new URLSearchParams([["scheme", scheme.name], ...entries, ["view", view]]);
        await setHash(page, String(hash));
        assert.deepEqual(await errors(page), [], String(hash));
        assert.match(await csv(page), /\d/, String(hash));
        const program = await page.locator("#code").textContent();
        assert.equal(program, javascript(phasor, scheme, settings, view), String(hash));
        if (kept.length < names.length)
          Object.assign(changes, await page.evaluate(turnEverything, changes));
      }
    }
    assert.deepEqual(silent(), []);
    if (scheme.name === "mrope" && isSweep) assert.ok(!changes.dim);
    assert.deepEqual(problems, []);
  });
}

/**
 * In the page: turns every control that is shown and has not changed a picture yet, and puts it back.
 * @param {Record<string, boolean>} changes  by setting, so far
 */
async function turnEverything(changes) {
  const root = document.documentElement;
  const rest = async () => {
    do await new Promise(requestAnimationFrame);
    while (root.dataset.settled !== "true");
  };
  const state = () => {
    const figure = /** @type {any} */ (document.querySelector("#picture .phasor-figure"));
    return figure.csv() + figure.querySelector("figcaption")?.textContent;
  };
  /** @param {any} control @param {string | boolean} to */
  const put = async (control, to) => {
    if (control.type === "checkbox") control.checked = to;
    else control.value = to;
    control.dispatchEvent(new Event("input", { bubbles: true }));
    await rest();
  };
  const before = state();
  /** @type {Record<string, boolean>} */
  const made = {};
  for (const field of document.querySelectorAll("#one [data-setting]")) {
    if (!field.checkVisibility()) continue;
    const key = String(/** @type {HTMLElement} */ (field).dataset.setting);
    if (changes[key]) continue;
    const control = /** @type {any} */ (field.querySelector("select, input:not([type=range])"));
    const old = control.type === "checkbox" ? control.checked : control.value;
    const others =
      control.localName === "select"
        ? [...control.options].map(({ value }) => value).filter((value) => value !== old)
        : control.type === "checkbox"
          ? [!old]
          : String(old).includes(",")
            ? [
                String(old)
                  .split(",")
                  .map((x) => Number(x) * 2)
                  .join(),
                "17,24,23",
                "16,25,23",
              ]
            : [Number(old) + 1, Number(old) + 4, Number(old) / 2, Number(old) - 1].map(String);
    made[key] = false;
    for (const other of others) {
      await put(control, other);
      const isRefused = field.querySelector(".wrong")?.textContent !== "";
      if (!isRefused && state() !== before) made[key] = true;
      await put(control, old);
      if (state() !== before) throw new Error(`${key} set back does not bring the picture back`);
      if (made[key]) break;
    }
  }
  return made;
}

test("a new address is read although what was to be written comes before the browser reports it", async () => {
  const { page, problems } = await open();
  await page.evaluate(() => {
    location.hash = "#scheme=alibi";
    history.replaceState(null, "", "#scheme=rope"); // as the page itself does after a pause
  });
  await until(
    async () => (await page.locator("#code").textContent())?.includes("alibi"),
    "the picture of the new address",
  );
  await until(() => page.url().endsWith("#scheme=alibi"), "the new address is there again");
  assert.deepEqual(problems, []);
});

test("a link shows the same: side, view, comparison and cell", async () => {
  const { page, problems } = await open("#preset=llama-3.1-8b&view=waves&length=80");
  await type(page, "a-base", "20000");
  await page.locator("#compare").check();
  await page.locator("#b-scaling").selectOption("linear");
  await page.locator("#picture [tabindex='0']").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await settled(page);
  await page.waitForFunction(() => location.hash.includes("cell="));
  const state = async (/** @type {Page} */ page) => [
    await csv(page),
    await csv(page, "other-picture"),
    await csv(page, "difference-picture"),
    await words(page, "inspection"),
    await page.locator("#a-preset").inputValue(),
    await page.locator("#a-base").inputValue(),
    await page.locator("#code").innerText(),
  ];
  const [before, link] = [await state(page), new URL(page.url()).hash];
  assert.deepEqual(problems, []);
  const again = await open(link);
  assert.deepEqual(await state(again.page), before);
  assert.deepEqual(problems, []);
});

test("the inspector shows the cell's value, by key and by pointer", async () => {
  const { page } = await follow("#scheme=rope&length=20&dim=8");
  const picture = page.locator("#picture [tabindex='0']").first();
  await picture.focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"]) {
    await page.keyboard.press(key);
  }
  await settled(page);
  const [row, column] = await page.evaluate(() => {
    const { value } = /** @type {any} */ (document.querySelector("#picture .phasor-figure"));
    return [value.row, value.column];
  });
  const made = await npy.read(await exported(page, "picture", ".npy"));
  const value = await page.locator("#inspection data").first().getAttribute("value");
  assert.equal(Number(value), made.at(row, column));
  assert.match(await words(page, "inspection"), new RegExp(`position ${row}, dimension ${column}`));

  const box = await picture.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.9, box.y + box.height * 0.5);
  await settled(page);
  const other = await page.locator("#inspection data").first().getAttribute("value");
  assert.notEqual(other, value);
});

test("a difference is exactly the first minus the second", async () => {
  const { page, problems } = await follow(
    "#scheme=sinusoidal&offset=5000&b.scheme=sinusoidal&b.offset=5000&b.precision=torch",
  );
  const read = async (/** @type {string} */ place) => npy.read(await exported(page, place, ".npy"));
  const [one, other, difference] = [
    await read("picture"),
    await read("other-picture"),
    await read("difference-picture"),
  ];
  assert.ok(Array.from(difference.data, Number).some((x) => x !== 0));
  difference.data.forEach((/** @type {number} */ x, /** @type {number} */ k) =>
    assert.equal(x, Number(one.data[k]) - Number(other.data[k])),
  );
  await page.locator("#b-precision").selectOption("exact");
  await settled(page);
  assert.match(await words(page, "difference-words"), /bitwise equal/);
  await type(page, "b-dim", "32");
  assert.match(await words(page, "difference-words"), /sizes are 64 × 64 and 64 × 32/);
  assert.equal(await page.locator("#difference-picture").isVisible(), false);
  await page.locator("#same-sizes").click();
  await settled(page);
  assert.match(await words(page, "difference-words"), /bitwise equal/);
  assert.equal(await page.locator("#b-dim").inputValue(), "64");
  assert.equal(await page.locator("#same-sizes").isVisible(), false);
  assert.deepEqual(problems, []);
});

test("a model is found by a part of its name", async () => {
  const { page, problems } = await follow("#scheme=sinusoidal");
  const field = page.locator("#a-find");
  await field.fill("no such model");
  await field.press("Enter");
  assert.equal(await page.locator("#a-find-note").textContent(), "None found");
  await field.fill("mistral");
  assert.match((await page.locator("#a-find-note").textContent()) ?? "", /^\d+ found$/);
  await field.press("Enter");
  await settled(page);
  const chosen = await page.locator("#a-preset option:checked").textContent();
  assert.match(chosen ?? "", /mistral/i);
  assert.equal(await field.inputValue(), "");
  await field.fill("bert-base"); // the whole title of one, as the list gives it
  const title = await page.locator("#a-preset option").last().textContent();
  await field.fill(title ?? "");
  await settled(page);
  assert.equal(await page.locator("#a-preset option:checked").textContent(), title);
  assert.deepEqual(problems, []);
});

test("a pasted config.json is shown with its warnings; a wrong one is refused beside it", async () => {
  const { page, problems } = await follow("#scheme=sinusoidal");
  await page.locator("#paste summary").click();
  const paste = async (/** @type {string} */ text) => {
    await page.locator("#config").fill(text);
    await page.locator("#read-config").click();
    await settled(page);
  };
  await paste('{\n "model_type": "llama", }');
  assert.match(
    await words(page, "config-wrong"),
    /^The text is not JSON\. Look in line 2, column \d+: /,
  );
  const config = {
    model_type: "llama",
    hidden_size: 512,
    num_attention_heads: 8,
    num_hidden_layers: 4,
    max_position_embeddings: 8192,
    rope_theta: 12345,
    rope_scaling: { rope_type: "linear", factor: 4 },
  };
  await paste(JSON.stringify({ ...config, rope_scaling: { rope_type: "linear" } }));
  assert.match(await words(page, "config-wrong"), /config\.rope_scaling\.factor must be/);
  const hostile = "<img src=x onerror=alert(1)>";
  await paste(JSON.stringify({ ...config, model_type: hostile }));
  assert.match(
    await words(page, "config-wrong"),
    /<img src=x onerror=alert\(1\)>" is not a family that phasor knows/,
  );
  const rope_scaling = { ...config.rope_scaling, [hostile]: 1 };
  await paste(JSON.stringify({ ...config, rope_scaling }));
  assert.equal(await words(page, "config-wrong"), "");
  assert.match(await words(page, "config-note"), /<img src=x onerror=alert\(1\)> is not a key/);
  assert.equal(await words(page, "scheme-title"), "Rotary positions");
  assert.equal(await page.locator("#a-base").inputValue(), "12345");
  assert.equal(await page.locator("#a-scaling").inputValue(), "linear");
  assert.equal(await page.locator("#a-dim").inputValue(), "64");

  const layers = {
    ...config,
    model_type: "gemma3_text",
    rope_local_base_freq: 777,
    sliding_window_pattern: 4,
    rope_scaling: null,
  };
  await paste(JSON.stringify(layers));
  assert.equal(await page.locator("#a-base").inputValue(), "777");
  await page.locator("#layers").selectOption({ index: 1 });
  await settled(page);
  assert.equal(await page.locator("#a-base").inputValue(), "12345");
  assert.deepEqual(problems, []);
});

test("an invalid setting gives a message beside its control, and the picture stays", async () => {
  const { page, problems } = await follow("#scheme=mrope");
  const before = await csv(page);
  await type(page, "a-sections", "16, 24, 20");
  assert.match(
    await words(page, "a-sections-wrong"),
    /^Pairs of time, height, width must sum to dim \/ 2 = 64; got/,
  );
  assert.equal(await csv(page), before);
  await type(page, "a-sections", "none");
  assert.match(
    await words(page, "a-sections-wrong"),
    /^Pairs of time, height, width: type 1 to 512 numbers .*, separated by commas\.$/,
  );
  assert.equal(await page.locator("#a-sections").getAttribute("aria-invalid"), "true");
  await type(page, "a-sections", "20, 24, 20");
  assert.equal(await words(page, "a-sections-wrong"), "");
  assert.notEqual(await csv(page), before);
  await type(page, "a-dim", "7.5");
  assert.match(
    await words(page, "a-dim-wrong"),
    /^Rotated width R: type a whole number from 6 to 512, in steps of 2\.$/,
  );
  assert.deepEqual(problems, []);
});

test("every kind of export opens", async () => {
  const { page, problems } = await follow("#scheme=alibi&heads=3&length=6&view=bias");
  const png = await exported(page, "picture", "PNG");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.match(String(await exported(page, "picture", "SVG")), /^<svg [^>]*xmlns=/);
  assert.match(String(await exported(page, "picture", "CSV")), /head/);
  const made = await npy.read(await exported(page, "picture", ".npy"));
  assert.deepEqual(made.shape, [3, 6, 6]);
  assert.equal(made.at(0, 5, 2), -3 * 2 ** (-8 / 2));
  assert.deepEqual(problems, []);
});

test("the code is that of the picture, in four languages", async () => {
  const { page } = await follow("#scheme=rope&dim=32&view=spectrum");
  const shown = async (/** @type {string} */ language) => {
    await page.locator(`[name="language"][value="${language}"]`).check();
    await settled(page);
    return page.locator("#code").innerText();
  };
  assert.match(await shown("javascript"), /rope\.frequencies\(32\)/);
  assert.match(await shown("observable"), /npm:phasor\/plots/);
  assert.match(await shown("jupyter"), /run_js/);
  assert.match(await shown("pytorch"), /import torch/);
  await type(page, "a-dim", "48");
  assert.match(await page.locator("#code").innerText(), /dim, base = 48/);
});

test("a phone has no sideways scrolling, and every view passes axe", async () => {
  const { page, problems } = shared;
  problems.length = 0;
  await page.setViewportSize({ width: 360, height: 740 });
  const isWanted = everyNth(4);
  for (const hash of [
    "#scheme=rope&view=waves&b.scheme=rope&b.base=500&cell=3.1",
    "#scheme=rope&view=spectrum&scaling=yarn&cell=3",
    "#scheme=alibi&view=bias&cell=3.2",
    "#preset=phi-3.5-mini&view=clock&cell=1",
  ]) {
    await setHash(page, hash);
    assert.deepEqual(await errors(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, hash);
    if (isWanted()) assert.deepEqual(await violations(page), [], hash);
  }
  assert.deepEqual(problems, []);
});
