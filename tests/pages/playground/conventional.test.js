import assert from "node:assert/strict";
import { test } from "node:test";
import { load, optionsOf, schemesOf } from "phasor";
import { pytorch } from "../../../web/playground/code/pytorch.js";
import { conventional } from "../../../web/playground/schemes/conventional.js";
import { schemes } from "../../../web/playground/schemes/index.js";
import { allows, initial } from "../../../web/playground/settings.js";
import { another } from "./cases.js";

const phasor = await load();
const found = schemesOf(phasor);

test("every module that follows a convention is a scheme of the playground", () => {
  assert.ok(found.length >= 5);
  for (const { name } of found) assert.ok(name in schemes, name);
});

for (const convention of found) {
  const { name, kind, method, controls } = convention;
  const scheme = conventional(convention);
  const first = initial(scheme.settings);
  const run = /** @type {any} */ (phasor)[name][method];
  const [a, b] = controls.map((control) => first[control.name]);

  test(`${name} without an entry: its settings are the declared options, and every view draws`, () => {
    const declared = optionsOf(run);
    for (const setting of scheme.settings) {
      assert.ok(allows(setting, setting.initial), setting.name);
      const offered = setting.options?.map(({ value }) => value) ?? [];
      for (const value of declared[setting.name]?.values ?? []) assert.ok(offered.includes(value));
    }
    for (const view of scheme.views) {
      const picture = scheme.compute(phasor, first, view);
      const cell = picture.data.shape.map(() => 0);
      const { parts } = scheme.inspect(phasor, first, view, cell, picture);
      assert.ok(picture.data.size > 0 && parts.length > 0, view);
      assert.match(pytorch(scheme, first, view), /^# .*\n# The reference has the formula/);
    }
    const view = kind === "bias" ? "bias" : "heatmap";
    const made = run(a, b);
    if (kind === "rotation") assert.deepEqual(scheme.tensor(phasor, first, view).shape, [a, b]);
    else assert.deepEqual(scheme.tensor(phasor, first, view).data, made.data);
  });

  test(`${name} without an entry: a setting becomes an option of the call`, () => {
    const [view] = scheme.views;
    for (const control of controls.slice(2)) {
      const setting = scheme.settings.find((each) => each.name === control.name);
      assert.ok(setting);
      const value = another(setting, setting.initial);
      const { text } = scheme.program(phasor, { ...first, [control.name]: value }, view);
      const shown = `${control.name}: ${JSON.stringify(value)}`;
      assert.ok(scheme.compute(phasor, { ...first, [control.name]: value }, view).data.size > 0);
      assert.ok(text.join("\n").includes(shown), `${text.join()} lacks ${shown}`);
    }
  });
}
