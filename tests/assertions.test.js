import { test } from "node:test";
import { families, passTests } from "./rooms.js";

test("assertions: the rooms' tests pass on the build with Emscripten's own checks", (t) => {
  const passed = passTests("build/assertions/index.js", [...families, "api"]);
  t.diagnostic(`${passed} tests`);
});
