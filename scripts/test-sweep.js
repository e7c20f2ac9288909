// `npm run test:sweep`: the accuracy promises over far more values than `npm test` has time for, and of the site on every
// page what `npm run test:web` does on those that stand for others.

import { join } from "node:path";
import { run, step } from "./run.js";
import { project, setup } from "./setup.js";

const tools = await setup(["packages", "native"]);
const { compile } = await import("./build.js");
await step("Compiling the C++ tests for speed", () =>
  compile(tools, "native-fast", ["phasor_tests"], ["-DCMAKE_BUILD_TYPE=Release"]),
);
await run(join(project, "build", "native-fast", "phasor_tests"), ["--duration=true"], {
  env: { ...tools.env, PHASOR_SWEEP: "1" },
});
await run(process.execPath, ["scripts/test.js", "web", "web/every-", "web/firefox."], {
  cwd: project,
  env: { ...process.env, PHASOR_SWEEP: "1" },
});
