import { test } from "node:test";
import { testPython, withPhasor } from "../../unit/python/python.js";
import { lacksNumpy, pythonWithNumpy } from "./site.js";

// The same tests as in tests/unit/python/, now with NumPy.
if (lacksNumpy) test("phasor.py with NumPy", { skip: lacksNumpy }, () => {});
else await testPython(await withPhasor(await pythonWithNumpy()), "phasor.py with NumPy");
