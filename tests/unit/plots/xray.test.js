// The picture of a context length: what it draws and says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { figures } from "phasor/plots";
import { xray } from "phasor/xray";
import { drawing, numbers, strings, texts } from "./picture.js";

const draw = strings(figures({ as: "svg" }).xray);
const llama = await xray("llama-3.1-8b");

/** The circles of a color. @param {string} svg @param {string} color */
const arcs = (svg, color) => [...drawing(svg).querySelectorAll(`circle[stroke="${color}"]`)];

test("xray draws one picture of 1200 x 630 with a dial for each pair, in both themes", () => {
  for (const theme of ["light", "dark"]) {
    const svg = draw(llama, { theme, name: "Llama 3.1 8B" });
    const [root] = drawing(svg).querySelectorAll("svg");
    assert.deepEqual(numbers(root, "width", "height"), [1200, 630]);
    assert.equal(root.getAttribute("aria-label"), `Llama 3.1 8B: ${llama.sentence}`);
    const said = texts(svg);
    for (const text of ["Llama 3.1 8B", "131,072 tokens", "128 KiB", "16 GiB", "0.50", "21,000"]) {
      assert.ok(said.includes(text), text);
    }
  }
});

test("xray's arcs are the shares of a turn that were seen, are new, and are spared", () => {
  const svg = draw(llama);
  const [seen, fresh] = ["#35a06f", "#d12f2f"].map((color) => arcs(svg, color));
  assert.equal(fresh.length, 29);
  assert.equal(seen.length, 64);
  const { pairs } = llama.kinds[0];
  const share = (/** @type {Element} */ arc) => {
    const [part] = String(arc.getAttribute("stroke-dasharray")).split(" ").map(Number);
    return part / (2 * Math.PI * Number(arc.getAttribute("r")));
  };
  for (const [i, arc] of fresh.entries()) {
    const { seen, turns } = pairs[35 + i];
    assert.ok(Math.abs(share(arc) - (Math.min(1, turns) - seen)) < 2e-3, `pair ${35 + i}`);
  }
  assert.ok(Math.abs(share(seen[40]) - pairs[40].seen) < 2e-3);
});

test("xray of a model without a scaling draws no strip, and layers without rotation as gaps", async () => {
  const svg = draw(await xray("smollm3-3b"));
  assert.ok(!texts(svg).includes("Dot product left if the scaling is ignored"));
  assert.ok(texts(svg).includes("rotates the layers that have no rotation"));
  const dashed = [...drawing(svg).querySelectorAll("rect[stroke-dasharray]")];
  assert.equal(dashed.length, 9);
  const other = texts(draw(await xray("gpt2", { length: 2000 })));
  assert.ok(other.some((text) => text?.includes("the last 976 of")));
});

test("xray's badge has the facts of the configuration at its own size, on any page", async () => {
  for (const [config, badge] of /** @type {[any, string][]} */ ([
    ["llama-3.1-8b", "8,192 tokens, llama3 \u00d78 to 131,072"],
    ["deepseek-v3", "4,096 tokens, yarn \u00d740 to 163,840"],
    ["smollm3-3b", "65,536 tokens, NoPE in 9 of 36 layers"],
    ["gemma-3-1b", "32,768 tokens"],
    ["gpt2", "learned table of 1,024"],
    ["bloom", "ALiBi"],
  ])) {
    const seen = await xray(config, { length: 777 });
    assert.equal(seen.badge, badge);
    const svg = draw(seen, { form: "badge", theme: "dark" });
    const [root] = drawing(svg).querySelectorAll("svg");
    const [width, height] = numbers(root, "width", "height");
    assert.equal(height, 20);
    assert.equal(root.getAttribute("aria-label"), `positions: ${badge}`);
    assert.deepEqual(texts(svg), ["positions", badge]);
    const boxes = [...drawing(svg).querySelectorAll("rect[x]")].map((box) => numbers(box, "x", "width")); // prettier-ignore
    assert.ok(Math.abs(boxes[1][0] + boxes[1][1] - width) < 0.02 && boxes[1][0] === boxes[0][1]);
    assert.ok(boxes[1][1] > 5.5 * badge.length, "the words fit");
  }
  assert.throws(() => draw(llama, { form: "bagde" }), /RangeError: xray: form must be one of /);
  assert.ok(!draw({ ...llama, badge: "<b>" }, { form: "badge" }).includes("<b>"));
});

test("xray's width scales the picture; other data and options are refused", () => {
  const [root] = drawing(draw(llama, { width: 600 })).querySelectorAll("svg");
  assert.deepEqual(numbers(root, "width", "height"), [600, 315]);
  assert.throws(() => draw([1]), /^TypeError: xray: data must be what xray returns; got /);
  assert.throws(() => draw(llama, { nome: "x" }), /^(?:Type|Range)Error: xray: .*nome/);
  const svg = draw({ ...llama, type: '<b>"' });
  assert.ok(!svg.includes("<b>"));
});
