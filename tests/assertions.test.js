import { test } from "node:test";
import { FAMILIES } from "../scripts/modules.js";
import { passTests } from "./modules.js";

test("assertions: the modules' tests pass on the build with Emscripten's own checks", (t) => {
  const passed = passTests("build/assertions/index.js", [...FAMILIES, "runtime"]);
  t.diagnostic(`${passed} tests`);
});
