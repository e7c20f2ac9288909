// The playground's panel, views, pinned formulas and layout, in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { schemes } from "../../web/playground/schemes/index.js";
import { sampled } from "../sample.js";
import { violations } from "./axe.js";
import { openSite } from "./open-site.js";
import { serveBuild } from "./site.js";
import { setHash, settled } from "./pages.js";

/** @typedef {import("playwright-core").Page} Page */

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

const { server, browser } = await openSite(serveBuild);
/** The page of all tests but those on a phone. */
const shared = await browser.newPage({ viewport: desktop });

/** Opens a link as a new reader. @param {string} [hash] @param {{ width: number, height: number }} [viewport] @param {typeof shared} [visit] */
async function open(hash = "", viewport = desktop, visit = shared) {
  await visit.page.setViewportSize(viewport);
  await visit.page.goto("about:blank"); // else another hash would be no new visit
  visit.problems.length = 0;
  await visit.page.goto(`${server.url}page/playground/${hash}`);
  await settled(visit.page);
  return visit;
}

/** Follows a link in the open playground. @param {string} hash */
async function follow(hash) {
  const { page, problems } = shared;
  await page.setViewportSize(desktop);
  problems.length = 0;
  await setHash(page, hash);
  return { page, problems };
}

/** A config.json on one line, as `json.dumps` writes it, of 1,677 characters. */
function longConfig() {
  const config = {
    architectures: ["LlamaForCausalLM"],
    model_type: "llama",
    hidden_size: 4096,
    num_attention_heads: 32,
    num_hidden_layers: 32,
    num_key_value_heads: 8,
    max_position_embeddings: 131072,
    rope_theta: 500000,
    rope_scaling: {
      factor: 8,
      high_freq_factor: 4,
      low_freq_factor: 1,
      original_max_position_embeddings: 8192,
      rope_type: "llama3",
    },
    vocab_size: 128256,
    _name_or_path: "",
  };
  config._name_or_path = "x".repeat(1677 - JSON.stringify(config).length);
  return JSON.stringify(config);
}

/** @param {Page} page @param {string} text */
async function paste(page, text) {
  await page.locator("#paste").evaluate((details) => details.setAttribute("open", ""));
  await page.locator("#config").fill(text);
  await page.locator("#read-config").click();
  await settled(page);
}

/** The panel's width, and the elements in it that are cut off. @param {Page} page */
function panelFaults(page) {
  return page.evaluate(() => {
    const side = /** @type {HTMLElement} */ (document.querySelector(".side"));
    const edge = side.getBoundingClientRect().right + 0.5;
    const out = [...side.querySelectorAll("*")]
      .filter((element) => element.checkVisibility() && !element.closest("option"))
      .filter((element) => element.getBoundingClientRect().right > edge)
      .map((element) => element.outerHTML.slice(0, 80));
    if (side.scrollWidth > side.clientWidth) out.push(`${side.scrollWidth} > ${side.clientWidth}`);
    if (side.scrollLeft !== 0) out.push(`scrolled by ${side.scrollLeft}`);
    return out;
  });
}

test("a config.json on one line leaves the panel as wide as it was", async () => {
  for (const viewport of sampled([desktop, { width: 768, height: 1024 }, phone], 0)) {
    const { page, problems } = await open("", viewport);
    if (viewport === phone) await page.locator("#sheet").click();
    const width = await page.locator(".side").evaluate(({ clientWidth }) => clientWidth);
    assert.equal(longConfig().length, 1677);
    await paste(page, longConfig());
    assert.deepEqual(await panelFaults(page), []);
    assert.equal(await page.locator(".side").evaluate((side) => side.clientWidth), width);
    await page.locator("#config").fill(`${"y".repeat(5000)}\n${"line\n".repeat(400)}`);
    assert.deepEqual(await panelFaults(page), []);
    const box = await page.locator("#config").boundingBox();
    assert.ok(box && box.height <= 340, `the field is ${box?.height} px tall`);
    await page.locator("#read-config").click();
    await settled(page);
    assert.deepEqual(await panelFaults(page), []);
    assert.deepEqual(problems, []);
  }
});

/** The chosen view. @param {Page} page */
const view = (page) => page.locator("[name='view']:checked").inputValue();

test("a pasted or chosen model opens in the view that shows its scaling; others keep the view", async () => {
  const { page, problems } = await follow("#scheme=sinusoidal&view=waves");
  await paste(page, longConfig());
  assert.equal(await view(page), "spectrum");
  await page.locator("#a-preset").selectOption("gpt2");
  await settled(page);
  assert.equal(await view(page), "heatmap"); // learned positions have no spectrum
  await page.locator("#a-preset").selectOption("llama-3.1-8b");
  await settled(page);
  assert.equal(await view(page), "spectrum");
  await page.locator("#a-scheme").selectOption("alibi");
  await settled(page);
  assert.equal(await view(page), "bias");
  assert.deepEqual(problems, []);
  // An old link without a view means the first one, as before.
  await open("#preset=llama-3.1-8b");
  assert.equal(await view(page), "heatmap");
});

test("two schemes are compared in the views that both have", async () => {
  const { page, problems } = await follow("#scheme=sinusoidal&view=heatmap&b.scheme=alibi");
  const offered = async () =>
    page
      .locator("[name='view']")
      .evaluateAll((all) => all.map((each) => /** @type {HTMLInputElement} */ (each).value));
  assert.deepEqual(await offered(), ["waves"]);
  assert.equal(await view(page), "waves");
  assert.equal(await page.locator("#scheme-title").innerText(), "Sinusoids and ALiBi");
  assert.equal(await page.locator(".picture-place > .wrong").count(), 0);
  assert.equal(await page.locator("#other-picture .phasor-figure").count(), 1);
  await page.locator("#b-scheme").selectOption("rope");
  await settled(page);
  const { views } = schemes.sinusoidal;
  assert.deepEqual(
    await offered(),
    views.filter((name) => schemes.rope.views.includes(name)),
  );
  await page.locator("#compare").uncheck();
  await settled(page);
  assert.deepEqual(await offered(), views);

  // These two have none in common: each is in its own, and no error is shown.
  await setHash(page, "#scheme=alibi&view=bias&b.scheme=deberta&cell=1.0");
  assert.equal(await page.locator(".picture-place > .wrong").count(), 0);
  assert.equal(await page.locator("#other-picture [data-kind='heatmap']").count(), 1);
  assert.match(await page.locator("#difference-words").innerText(), /different kinds/);
  assert.deepEqual(problems, []);
});

test("pointing shows the formula beside the pointer; a click pins it below the picture", async () => {
  const { page, problems } = await follow("#scheme=rope");
  const picture = page.locator("#picture .phasor-picture");
  const tip = page.locator("#pointed");
  const box = await picture.boundingBox();
  assert.ok(box);
  assert.equal(await tip.isVisible(), false);
  const at = { x: box.x + box.width * 0.5, y: box.y + box.height * 0.4 };
  await page.mouse.move(at.x, at.y);
  await settled(page);
  const pinned = await tip.locator("p").allInnerTexts();
  assert.match(pinned[0], /^position \d+, dimension \d+$/);
  const tipBox = await tip.boundingBox();
  assert.ok(tipBox && tipBox.x - at.x < 30 && Math.abs(tipBox.y - at.y) < 30);
  await page.mouse.down();
  await page.mouse.up();
  await settled(page);
  const below = page.locator("#inspection p");
  assert.deepEqual(await below.allInnerTexts(), pinned);
  const panel = await page.locator(".pinned").boundingBox();
  assert.ok(panel && panel.y + panel.height <= desktop.height, "below the fold");

  // At the edges the tooltip stays inside the window, and the pinned formula stays what it is.
  await page.mouse.move(box.x + box.width - 3, box.y + box.height * 0.7);
  await settled(page);
  assert.notDeepEqual(await tip.locator("p").allInnerTexts(), pinned);
  assert.deepEqual(await below.allInnerTexts(), pinned);
  const edge = await tip.boundingBox();
  assert.ok(edge && edge.x >= 0 && edge.x + edge.width <= desktop.width);
  await page.mouse.move(5, 5);
  await settled(page);
  assert.equal(await tip.isVisible(), false);
  assert.deepEqual(await below.allInnerTexts(), pinned);
  await page.waitForFunction(() => location.hash.includes("cell="));

  await page.locator("#unpin").click();
  await settled(page);
  assert.match(await page.locator("#inspection").innerText(), /^Point at a cell/);
  await page.waitForFunction(() => !location.hash.includes("cell="));
  assert.deepEqual(problems, []);
});

test("the same by keys: Enter pins, Escape unpins, numbers choose views, C compares, R resets", async () => {
  const { page, problems } = await follow("#scheme=rope&dim=32");
  const picture = page.locator("#picture .phasor-picture");
  const below = page.locator("#inspection");
  const press = async (/** @type {string[]} */ ...keys) => {
    for (const key of keys) await picture.press(key);
    await settled(page);
  };
  await press("ArrowRight", "ArrowRight", "Enter");
  const pinned = await below.innerText();
  assert.match(pinned, /^position 0, dimension 1/);
  await press("ArrowDown");
  assert.match(await below.innerText(), /position 0, dimension 1[^]*position 1, dimension 1/);
  await press("Escape");
  assert.equal(await page.locator("#unpin").isVisible(), false);
  await press("3");
  assert.equal(await view(page), "spectrum");
  await press("c");
  assert.equal(await page.locator("#compare").isChecked(), true);
  await press("c");
  assert.equal(await page.locator("#compare").isChecked(), false);
  await press("r");
  assert.equal(await page.locator("#a-dim").inputValue(), "64");
  // Elsewhere the same keys are text.
  await page.locator("#a-base").press("3");
  await page.locator("#a-base").press("c");
  await settled(page);
  assert.equal(await page.locator("#compare").isChecked(), false);
  assert.deepEqual(problems, []);
});

test("the clock shows the rotation from position 0, with its whole turns", async () => {
  const { page, problems } = await follow("#scheme=rope&view=clock&position=20");
  const turns = () => page.locator("#picture .phasor-turns").allTextContents();
  assert.deepEqual(await turns(), ["×3", "×1"]); // 20 radians of pair 0, and 11.2 of pair 2
  await page.locator("#a-position").fill("13");
  await settled(page);
  assert.deepEqual(await turns(), ["×2", "×1"]);
  await setHash(page, "#scheme=sinusoidal&view=clock&position=100&dim=8");
  assert.deepEqual(await turns(), ["×15", "×1"]);
  assert.deepEqual(problems, []);
});

test("Reset names what it resets, and resets it", async () => {
  const { page } = await follow("#preset=llama-3.1-8b&base=20000&view=waves");
  const reset = page.locator("#reset");
  assert.equal(await reset.innerText(), "Reset the settings of llama-3.1-8b");
  await reset.click();
  await settled(page);
  assert.equal(await page.locator("#a-base").inputValue(), "500000");
  assert.equal(await view(page), "waves");
  await page.locator("#compare").check();
  await page.locator("#b-base").fill("7");
  await page.locator("#a-base").fill("8");
  await settled(page);
  assert.equal(await reset.innerText(), "Reset the settings of both");
  await reset.click();
  await settled(page);
  assert.equal(await page.locator("#b-base").inputValue(), "500000");
  assert.equal(await page.locator("#a-base").inputValue(), "500000");
  assert.equal(await page.locator("#compare").isChecked(), true);
});

test("picture and pinned formula are above the fold, in every view", async () => {
  for (const viewport of sampled([{ width: 1366, height: 768 }, desktop], 0)) {
    const { page } = await open("", viewport);
    for (const hash of [
      "#scheme=sinusoidal&cell=3.4",
      "#scheme=rope&view=waves&cell=3.1",
      "#scheme=rope&view=spectrum&scaling=yarn&cell=3",
      "#scheme=rope&view=clock",
      "#scheme=alibi&view=bias",
    ]) {
      await setHash(page, hash);
      const box = await page.locator("#picture .phasor-picture").boundingBox();
      const size = `${viewport.width} x ${viewport.height}, ${hash}`;
      assert.ok(box && box.y < 220, `${size}: the picture begins at ${box?.y}`);
      assert.ok(box.y + box.height < viewport.height - 60, `${size}: it ends at ${box.height}`);
      const pinned = await page.locator(".pinned").boundingBox();
      assert.ok(pinned && pinned.y + 40 < viewport.height, `${size}: pinned at ${pinned?.y}`);
    }
  }
});

test("on a phone the picture stays in sight while the sheet of settings is open", async () => {
  const touched = await browser.newPage({ hasTouch: true });
  for (const viewport of sampled([phone, { width: 320, height: 640 }], 0)) {
    const { page, problems } = await open("#scheme=rope", viewport, touched);
    const sheet = page.locator("#sheet");
    assert.equal(await page.locator("#a-dim").isVisible(), false);
    await sheet.press("Enter");
    await settled(page);
    assert.equal(await sheet.getAttribute("aria-expanded"), "true");
    const isSeen = async () => {
      const side = await page.locator(".side").boundingBox();
      const picture = await page.locator("#picture .phasor-raster").boundingBox();
      assert.ok(side && picture);
      assert.ok(
        picture.y >= 0 && picture.y + picture.height <= side.y + 1,
        JSON.stringify([side, picture]),
      );
    };
    await isSeen();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
    await page.locator("#a-dim").fill("32");
    await settled(page);
    await isSeen();
    assert.deepEqual(await violations(page), []);
    await page.locator("#a-dim").fill("");
    await settled(page);
    const wrong = await page.locator("#a-dim-wrong").boundingBox();
    const end = (wrong?.y ?? Infinity) + (wrong?.height ?? 0);
    assert.ok(end <= viewport.height + 1, "the error is out of sight"); // it is scrolled by whole pixels
    await page.locator("#a-dim").press("Escape");
    assert.equal(await page.locator("#a-dim").isVisible(), false);
    assert.equal(await sheet.evaluate((button) => button === document.activeElement), true);
    // A tap pins.
    await page.locator("#picture .phasor-raster").tap({ position: { x: 40, y: 30 } });
    await settled(page);
    assert.match(await page.locator("#inspection").innerText(), /^position \d+, dimension \d+/);
    assert.equal(await page.locator("#unpin").isVisible(), true);
    assert.equal(await page.locator("#pointed").isVisible(), false);
    // Scrolled on, the picture is still at the top.
    await page.locator("#scheme-words").evaluate((about) => {
      scrollTo(0, scrollY + about.getBoundingClientRect().top - 500);
    });
    await isSeen();
    assert.deepEqual(problems, []);
  }
});
