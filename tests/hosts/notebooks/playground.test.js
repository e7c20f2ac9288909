import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { jupyter } from "../../../web/playground/code/jupyter.js";
import { entry } from "../../unit/python/python.js";
import { cases } from "../../pages/playground/cases.js";
import { lacksNumpy, pythonWithNumpy } from "./site.js";

const phasor = await load();

if (lacksNumpy) test("the playground's notebook cells", { skip: lacksNumpy }, () => {});
else {
  const python = await pythonWithNumpy();
  for (const [scheme, all] of cases) {
    test(`the playground's notebook cell of ${scheme.name} returns the picture's numbers as a NumPy array`, async () => {
      for (const view of scheme.views) {
        const { data } = scheme.program(phasor, all[0], view);
        await python.runPythonAsync(jupyter(phasor, scheme, all[0], view, entry));
        const made = python.globals.get(data);
        const wanted = scheme.tensor(phasor, all[0], view);
        assert.deepEqual(made.shape.toJs(), [...wanted.shape], view);
        const bytes = made.tobytes();
        assert.deepEqual(Buffer.from(bytes.toJs()), Buffer.from(wanted.data.buffer), view);
        for (const proxy of [bytes, made]) proxy.destroy();
      }
    });
  }
}
