// How a host waits for results, as the wheel's Widget.result does, without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import widget from "phasor/widget";

const { sinusoidal } = await load();

/**
 * A host's model with a widget; `until` resolves with the state as of a save.
 * @param {import("node:test").TestContext} t @param {Record<string, any>} traits
 */
function host(t, traits) {
  const state = { value: {}, error: "", ...traits };
  const heard = new EventTarget();
  /** @type {Record<string, any>[]} */
  const saves = [];
  const model = {
    get: (/** @type {string} */ name) => state[/** @type {keyof typeof state} */ (name)],
    set(/** @type {string} */ name, /** @type {any} */ value) {
      Object.assign(state, { [name]: value });
      heard.dispatchEvent(new Event(`change:${name}`));
    },
    save_changes() {
      saves.push({ ...state });
      heard.dispatchEvent(new Event("saved"));
    },
    on: (/** @type {string} */ event, /** @type {() => void} */ call) =>
      heard.addEventListener(event, call),
    off: (/** @type {string} */ event, /** @type {() => void} */ call) =>
      heard.removeEventListener(event, call),
  };
  t.after(widget().initialize({ model }));
  return {
    set: model.set,
    saves,
    saved: () =>
      new Promise((resolve) =>
        heard.addEventListener("saved", () => resolve(saves.at(-1)), { once: true }),
      ),
  };
}

test("widget: a request is answered with the results of the inputs before it, in one save", async (t) => {
  const { set, saved } = host(t, { options: { length: 2, dim: 4 }, _request: 0, _answer: 0 });
  set("_request", 1);
  const first = await saved();
  assert.equal(first._answer, 1);
  assert.deepEqual(first.value.shape, [2, 4]);

  set("options", { length: 3, dim: 4 });
  set("_request", 2);
  const second = await saved();
  assert.equal(second._answer, 2);
  assert.deepEqual(
    Buffer.from(
      second.value.data.buffer,
      second.value.data.byteOffset,
      second.value.data.byteLength,
    ),
    Buffer.from(sinusoidal.table(3, 4).data.buffer),
  );
});

test("widget: a request without any change is answered too, and a wrong option with its error", async (t) => {
  const { set, saved } = host(t, { options: { length: 2, dim: 4 }, _request: 0, _answer: 0 });
  await saved();
  set("_request", 1);
  assert.equal((await saved())._answer, 1);
  set("scheme", "rope");
  set("options", { length: 2, dim: 3 });
  set("_request", 2);
  const { _answer, error } = await saved();
  assert.equal(_answer, 2);
  assert.match(error, /^dim must be even; got 3/);
});

test("widget: a host without these traits gets none of them", async (t) => {
  const { saved } = host(t, { options: { length: 2, dim: 4 } });
  const state = await saved();
  assert.deepEqual(state.value.shape, [2, 4]);
  assert.equal("_answer" in state, false);
});
