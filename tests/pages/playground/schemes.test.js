import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { lessons } from "../../../web/lessons/lessons.js";
import { shown, text } from "../../../web/playground/parts.js";
import { printed } from "../../../web/playground/program.js";
import { schemes } from "../../../web/playground/schemes/index.js";
import { everyNth, isNight } from "../../sample.js";
import { another, cases, differences } from "./cases.js";
import { worked } from "./formula.js";

const phasor = await load();

/** Some cells of a shape, corners among them. @param {readonly number[]} shape */
function some(shape) {
  const along = shape.map((size) =>
    [...new Set([0, 1, size >> 1, size - 1])].filter((i) => i >= 0 && i < size),
  );
  return along.reduce(
    (cells, places) => cells.flatMap((cell) => places.map((place) => [...cell, place])),
    /** @type {number[][]} */ ([[]]),
  );
}

test("a lesson that explains a scheme exists", () => {
  const named = Object.values(schemes).flatMap(({ lesson = [] }) => lesson);
  assert.ok(named.length >= 5);
  for (const name of named) {
    assert.ok(
      lessons.some((lesson) => lesson.name === name),
      name,
    );
  }
});

for (const [scheme, all] of cases) {
  test(`${scheme.name}: every view is drawn, with as many labels as lines`, () => {
    for (const settings of all) {
      for (const view of scheme.views) {
        const { kind, data, options } = scheme.compute(phasor, settings, view);
        const where = `${view} ${differences(settings, all[0])}`;
        assert.ok(data.size > 0, where);
        assert.ok(
          data.data.some((/** @type {number} */ x) => x !== 0),
          `${where}: all are 0`,
        );
        assert.equal(typeof options.title, "string", where);
        if (kind === "waves") {
          assert.equal(options.labels.length, data.shape[1], where);
          assert.equal(options.x.length, data.shape[0], where);
        }
        if (kind === "clock") assert.deepEqual(data.shape, [options.labels.length, 2], where);
        if (kind === "bias") assert.equal(options.headLabels.length, data.shape[0], where);
      }
    }
  });

  test(`${scheme.name}: a formula's value is the cell's, and its arithmetic is right`, () => {
    let checked = 0;
    const isWorked = everyNth(3); // cases of settings but the first
    for (const settings of all) {
      for (const view of scheme.views) {
        if (settings !== all[0] && !isWorked()) continue;
        const picture = scheme.compute(phasor, settings, view);
        for (const cell of some(picture.data.shape)) {
          const { where, parts, value } = scheme.inspect(phasor, settings, view, cell, picture);
          const line = text(parts);
          const message = `${view} ${differences(settings, all[0])} ${where}: ${line}`;
          assert.equal(value, Number(picture.data.at(...cell)), message);
          assert.ok(line.endsWith(shown(value)), message);
          assert.doesNotMatch(line, /NaN|undefined|null/, message);
          for (const values of worked(line)) {
            if (values.length < 2) continue;
            checked += 1;
            const [first, ...others] = values;
            for (const other of others) {
              const tolerance = 2 ** -22 * Math.abs(other) + roundings(settings);
              assert.ok(Math.abs(first - other) <= tolerance, `${message}: ${first}, ${other}`);
            }
          }
        }
      }
    }
    const isDrawn = ["learnedPositions", "gaussian", "shaw", "transformerXL", "fire"];
    assert.ok(
      checked > 4 || isDrawn.includes(scheme.name) || scheme.conventional,
      `only ${checked} formulas were worked out`,
    );
  });

  test(`${scheme.name}: a setting changes the numbers where it applies, and nothing elsewhere`, () => {
    /** @type {Record<string, boolean>} */
    const changes = {};
    for (const settings of all) {
      for (const view of scheme.views) {
        const before = scheme.compute(phasor, settings, view);
        const lines = printed(scheme.plan(settings, view).lines).join("\n");
        for (const setting of scheme.settings) {
          const key = `${view}: ${setting.name}`;
          if (changes[key] && !isNight) continue; // it has been seen
          const other = { ...settings, [setting.name]: another(setting, settings[setting.name]) };
          if (!setting.when(settings, view)) {
            const after = printed(scheme.plan(other, view).lines).join("\n");
            assert.equal(after, lines, `${key} does not apply to ${differences(settings, all[0])}`);
            continue;
          }
          if (scheme.name === "mrope" && setting.name === "sections") continue; // its sum is R / 2
          if (scheme.name === "mrope" && setting.name === "dim") {
            other.sections = [settings.sections[0] + 1, ...settings.sections.slice(1)];
          }
          const after = refusing(() => scheme.compute(phasor, other, view));
          changes[key] ||= after !== undefined && differ(before, after);
        }
      }
    }
    // Of a scheme without an entry, nothing says which options matter only together with others.
    const silent = Object.keys(changes).filter((key) => !changes[key]);
    if (!scheme.conventional) assert.deepEqual(silent, []);
  });
}

/** Numbers that are rounded on the way may differ by that. @param {Record<string, any>} settings */
function roundings({ dtype }) {
  if (dtype === "bfloat16") return 0.5;
  return dtype === "float16" ? 0.05 : 1e-9;
}

/** @typedef {{data: any, given: any, options: any}} Drawn @param {Drawn} a @param {Drawn} b */
function differ(a, b) {
  if (a.data.shape.join() !== b.data.shape.join()) return true;
  if (
    !a.data.data.every((/** @type {number} */ x, /** @type {number} */ k) =>
      Object.is(x, b.data.data[k]),
    )
  )
    return true;
  return JSON.stringify([a.given, a.options]) !== JSON.stringify([b.given, b.options]);
}

/** The message with which phasor rejects a call. @template Result @param {() => Result} work */
function refusing(work) {
  try {
    return work();
  } catch (error) {
    assert.match(/** @type {Error} */ (error).message, / must .*; got /);
    return undefined;
  }
}
