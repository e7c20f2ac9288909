import assert from "node:assert/strict";
import { test } from "node:test";
import { atlas } from "phasor/models";
import { bytesOf } from "./browser.js";
import { openSite } from "./open-site.js";
import { settled } from "./pages.js";

const { server, browser } = await openSite();
const { page, problems } = await browser.newPage();
await page.goto(`${server.url}models/atlas/`);
await settled(page);

const shown = () => page.locator("details.family").count();

/** @param {string} name @param {string} value */
async function choose(name, value) {
  const control = page.locator(`[name="${name}"]`);
  if ((await control.evaluate(({ tagName }) => tagName)) === "SELECT") {
    await control.selectOption(value);
  } else await control.fill(value);
  await settled(page);
}

test("atlas: every family is listed, and a search filters the list", async () => {
  assert.equal(await shown(), atlas().length);
  await choose("search", "cohere2");
  assert.deepEqual(await page.locator("details.family summary code").allInnerTexts(), [
    "cohere2",
    "cohere2_moe",
  ]);
  await page.locator("details.family summary").first().click();
  const code = page.getByRole("group", { name: "Code of cohere2", exact: true });
  await code.focus(); // to scroll it by key
  assert.ok(await code.evaluate((each) => each === document.activeElement));
  const text = await page.locator("details.family").first().innerText();
  assert.match(text, /Layers of the kind full_attention do not rotate\./);
  assert.match(
    text,
    /models\/cohere2\/modeling_cohere2\.py:\d+ of transformers\. Rotation: agrees\./,
  );
  await choose("search", "");
  await choose("layout", "interleaved");
  assert.equal(await shown(), atlas().filter(({ layout }) => layout === "interleaved").length);
  await choose("layout", "all");
  await choose("scheme", "alibi");
  assert.equal(await shown(), atlas().filter(({ scheme }) => scheme === "alibi").length);
  await choose("scheme", "axialRope");
  assert.equal(await shown(), atlas().filter(({ scheme }) => scheme === "axialRope").length);
  assert.match(
    String(await page.locator("details.family pre").first().textContent()),
    /axialRope\.table\(\[rows, columns\], dim/,
  );
  await choose("scheme", "all");
  await choose("trap", "nope");
  const listed = await page.locator("details.family summary code").allInnerTexts();
  assert.ok(listed.includes("smollm3") && listed.includes("cohere2") && !listed.includes("llama"));
  await choose("trap", "all");
  await page.locator(".unknown summary").first().click();
  assert.match(await page.locator(".unknown details[open] p").innerText(), /\w+, \w+/);
  assert.match(
    await page.locator('[data-fact="recorded"]').innerText(),
    /\d+ families were run and agree/,
  );
  assert.deepEqual(problems, []);
});

test("atlas: a config.json is described, with what is doubtful, unknown or not read", async () => {
  const read = async (/** @type {object | string} */ config) => {
    const text = typeof config === "string" ? config : JSON.stringify(config);
    await page.locator("#config").fill(text);
    await page.getByRole("button", { name: "Describe it" }).click();
    return (await page.locator("#description").innerText()).replaceAll(/\s+/g, " ");
  };
  await page.getByRole("button", { name: "Use an example" }).click();
  const example = await page.locator("#description").innerText();
  assert.match(example, /6 layers of the kind sliding_attention rotate the first 128 columns/);
  assert.match(example, /2 layers of the kind full_attention do not rotate/);
  assert.match(example, /rope_thetas/);
  assert.match(await read({ model_type: "new_one", rope_theta: 1e6 }), /"new_one" is not a family/);
  const low = { rope_type: "llama3", factor: 8, low_freq_factor: 4, high_freq_factor: 1 };
  const llama = {
    ...{ model_type: "llama", hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 2 },
    rope_scaling: { ...low, original_max_position_embeddings: 64 },
  };
  assert.match(await read(llama), /Doubtful .*low_freq_factor \(4\) is above high_freq_factor/);
  const wrong = async (/** @type {string} */ text) => {
    assert.equal(await read(text), "");
    assert.equal(await page.locator("#link").isVisible(), false);
    return page.locator("#config-wrong").innerText();
  };
  assert.equal(await wrong("{"), "The text is not JSON. Look at its end.");
  assert.equal(await wrong("oops"), 'The text is not JSON. Look in line 1, column 1: "oops".');
  assert.equal(await wrong(" "), "Paste the text of a config.json first.");
  assert.deepEqual(problems, []);
});

test("atlas: a scaling is described in sentences, by a name too, and the address holds the description", async () => {
  await page.locator("#config").fill("llama-3.1-8b");
  await page.getByRole("button", { name: "Describe it" }).click();
  const said =
    /All layers rotate the first 128 columns as halves, base 500,000\. Llama 3\u2019s scaling from 8,192 tokens: pairs that turn more than 4 times in that length stay as they are, pairs that turn less than 1 time turn 8 times slower, with a ramp between\./;
  const description = page.locator("#description");
  assert.match(await description.innerText(), said);
  assert.doesNotMatch(await description.innerText(), /[{}]/);
  await page.waitForFunction(() => location.hash.includes("described=llama-3.1-8b"));
  const config = { model_type: "gpt2", n_embd: 64, n_head: 4, n_layer: 2, n_positions: 32, vocab_size: 9 }; // prettier-ignore
  await page.locator("#config").fill(JSON.stringify(config, null, 2));
  await page.getByRole("button", { name: "Describe it" }).click();
  const own = await description.innerText();
  assert.match(own, /gpt2/);
  assert.ok(await page.locator("#link").isVisible());
  await page.waitForFunction(() => location.hash.includes("gpt2"));
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await settled(page);
  assert.equal(await description.innerText(), own);
  const again = JSON.parse(await page.locator("#config").inputValue());
  assert.deepEqual(again, config);
  await page.goto(`${server.url}models/atlas/#described=llama-3.1-8b`);
  await settled(page);
  assert.match(await description.innerText(), said);
  await page.goto(`${server.url}models/atlas/`);
  await page.reload();
  await settled(page);
  assert.deepEqual(problems, []);
});

test("atlas: the poster links each family to its entry, and is saved as SVG and PNG", async () => {
  const links = page.locator("#poster .region a");
  assert.equal(await links.count(), atlas().length);
  assert.equal(await page.locator("#poster .region").and(page.locator("[tabindex]")).count(), 0);
  assert.equal(await page.locator('#poster .region a:not([tabindex="-1"])').count(), 1);
  await links.first().focus();
  const focused = () => links.evaluateAll((all) => all.findIndex((a) => a.matches(":focus")));
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), 1);
  const before = await links.evaluateAll(([, a]) => a.getBoundingClientRect().x);
  await page.keyboard.press("ArrowDown");
  assert.ok((await focused()) > 2);
  assert.equal((await page.locator("#poster a:focus").boundingBox())?.x, before);
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), 1);
  await page.keyboard.press("End");
  assert.equal(await focused(), atlas().length - 1);
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), atlas().length - 1);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), -1, "Tab leaves the poster");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), atlas().length - 1, "and comes back to where it was");
  await page.locator("#poster .region a", { hasText: "smollm3" }).click();
  await settled(page);
  await page.locator("details.family[open] code").first().waitFor();
  assert.equal(await page.locator("details.family[open] summary code").innerText(), "smollm3");
  for (const kind of ["SVG", "PNG"]) {
    await page.locator("#poster .export summary").click();
    const download = page.waitForEvent("download");
    await page.locator("#poster .export").getByRole("button", { name: kind }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), `phasor-atlas.${kind.toLowerCase()}`);
    const bytes = await bytesOf(file);
    if (kind === "SVG") assert.match(String(bytes), /<title id="title">How \d+ families of models/);
    else assert.deepEqual([bytes.readUInt32BE(16), bytes.toString("latin1", 1, 4)], [2400, "PNG"]);
    await page.locator("#poster .export summary").click();
  }
  assert.deepEqual(problems, []);
});

test("atlas: a pasted configuration's tower for pictures is described, too", async () => {
  const config = {
    model_type: "qwen2_5_vl",
    hidden_size: 3584,
    num_hidden_layers: 28,
    num_attention_heads: 28,
    rope_scaling: { type: "mrope", mrope_section: [16, 24, 24] },
    vision_config: { depth: 32, hidden_size: 1280, num_heads: 16, spatial_merge_size: 2 },
  };
  const limits = '{"time_step_limit": [0.0, Infinity],'; // as Python writes it
  await page.locator("#config").fill(JSON.stringify(config).replace("{", limits));
  await page.locator("#describe [type=submit]").click();
  const text = await page.locator("#description").innerText();
  assert.match(text, /M-RoPE sections 16, 24, 24 \(chunked\)/);
  assert.match(text, /Its tower for pictures/);
  assert.match(
    text,
    /80 columns of a head rotate by the row and column of a patch, as "qwen2_vl"\./,
  );
  assert.match(text, /Blocks of 2 x 2 patches become one token of the text\./);
  await page.locator("#config").fill(JSON.stringify({ ...config, vision_config: { hidden_size: 0.5 } })); // prettier-ignore
  await page.locator("#describe [type=submit]").click();
  assert.match(
    await page.locator("#description").innerText(),
    /config\.vision_config\.hidden_size must be/,
  );
  assert.deepEqual(problems, []);
});
