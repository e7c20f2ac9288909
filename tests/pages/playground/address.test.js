import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHash, ofPreset, ofScheme, toHash, viewsOf } from "../../../web/playground/address.js";
import { playgroundHash, playgroundLink } from "../../../web/app/playground-link.js";
import { modelPresets } from "../../../web/playground/presets.js";
import { schemes } from "../../../web/playground/schemes/index.js";
import { allows, format, parse } from "../../../web/playground/settings.js";
import { random } from "../../unit/reference/samples.js";

/** @typedef {import("../../../web/playground/settings.js").Setting} Setting */

const presets = modelPresets();

/** Numbers from 0 to 1, the same in every run. @param {number} seed */
function fractions(seed) {
  const next = random(seed);
  return () => next() / 2 ** 32;
}

/** @param {Setting} setting @param {() => number} next @returns {any} */
function drawn({ kind, least = 0, most = 0, step = 1, options = [] }, next) {
  switch (kind) {
    case "whole":
      return least + step * Math.floor((next() * (most - least)) / step);
    case "number":
      return least + next() * (most - least);
    case "toggle":
      return next() < 0.5;
    case "choice":
      return options[Math.floor(next() * options.length)].value;
    case "list":
      return Array.from(
        { length: 1 + Math.floor(next() * 9) },
        () => least + next() * (most - least),
      );
  }
}

/** @param {() => number} next */
function side(next) {
  const names = Object.keys(schemes);
  const made =
    next() < 0.3
      ? ofPreset(presets[Math.floor(next() * presets.length)])
      : ofScheme(names[Math.floor(next() * names.length)]);
  for (const setting of schemes[made.scheme].settings) {
    if (next() < 0.3) made.settings[setting.name] = drawn(setting, next);
  }
  return made;
}

test("every state is restored from its address", () => {
  const next = fractions(7);
  for (let i = 0; i < 2000; ++i) {
    const one = side(next);
    const other = next() < 0.5 ? side(next) : null;
    const views = viewsOf(one, other);
    const state = {
      view: views[Math.floor(next() * views.length)],
      one,
      other,
      cell: next() < 0.5 ? [Math.floor(next() * 1e6), Math.floor(next() * 99)] : null,
    };
    const hash = toHash(state, presets);
    assert.deepEqual(fromHash(`#${hash}`, presets), state, hash);
  }
});

test("a lesson's link is read as the settings that it was made of", () => {
  const next = fractions(8);
  const chosen = (/** @type {import("../../../web/playground/address.js").Side} */ made) => ({
    ...(made.preset === "" ? { scheme: made.scheme } : { preset: made.preset }),
    settings: made.settings,
  });
  for (let i = 0; i < 500; ++i) {
    const one = side(next);
    const other = next() < 0.5 ? side(next) : null;
    const [view] = viewsOf(one, other).slice(-1);
    const cell = next() < 0.5 ? [3, 4] : null;
    const link = playgroundLink(
      { ...chosen(one), view, ...(cell && { cell }), ...(other && { other: chosen(other) }) },
      "https://phasor.example/site/",
    );
    const { pathname, hash } = new URL(link);
    assert.equal(pathname, "/site/playground/");
    assert.deepEqual(fromHash(hash, presets), { view, one, other, cell }, hash);
  }
  assert.equal(playgroundHash({ preset: "gpt2" }), "preset=gpt2");
});

test("an address lists only settings that differ from the defaults", () => {
  const state = fromHash("", presets);
  assert.equal(toHash(state, presets), "");
  state.one.settings.dim = 128;
  assert.equal(toHash(state, presets), "scheme=sinusoidal&dim=128");
  assert.equal(toHash(fromHash("#preset=gpt2", presets), presets), "preset=gpt2");
});

test("two sides have the views that both schemes have; without a common one, those of the first", () => {
  for (const one of Object.keys(schemes).map(ofScheme)) {
    assert.deepEqual(viewsOf(one, null), schemes[one.scheme].views);
    for (const other of Object.keys(schemes).map(ofScheme)) {
      const views = viewsOf(one, other);
      const both = schemes[one.scheme].views.filter((view) =>
        schemes[other.scheme].views.includes(view),
      );
      assert.deepEqual(views, both.length > 0 ? both : schemes[one.scheme].views);
    }
  }
  const { view } = fromHash("#scheme=sinusoidal&view=heatmap&b.scheme=alibi", presets);
  assert.equal(view, "waves");
});

test("invalid parts of an address get the defaults", () => {
  const first = fromHash("", presets);
  for (const hash of [
    "#scheme=__proto__",
    "#scheme=constructor",
    "#preset=toString",
    "#scheme=sinusoidal&dim=1e9&base=Infinity&length=2.5&layout=sideways&first=",
    "#scheme=sinusoidal&view=bias&cell=1.2.3.4&seed=3",
    "#cell=-1.x&view=",
    "#%E0%A4%A",
  ]) {
    assert.deepEqual(fromHash(hash, presets), first, hash);
  }
  const alone = fromHash("#scheme=rope&longFactor=1,2,x&dim=7", presets);
  assert.deepEqual(alone.one, ofScheme("rope"));
});

test("every setting may have its first value, which text keeps", () => {
  for (const { settings, name } of Object.values(schemes)) {
    for (const setting of settings) {
      assert.ok(allows(setting, setting.initial), `${name}.${setting.name}`);
      assert.deepEqual(parse(setting, format(setting, setting.initial)), setting.initial);
    }
  }
});

test("no setting has a reserved name of the address", () => {
  for (const { settings } of Object.values(schemes)) {
    const names = settings.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(!names.some((name) => ["scheme", "preset", "view", "cell"].includes(name)));
  }
});
