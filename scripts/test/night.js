// `npm run x -- test:night`: what takes too long for every change. The accuracy promises over far more values; every tier of
// the tests with nothing left out (`isNight` in tests/sample.js); random choices drawn anew.

import { join } from "node:path";
import { run, step } from "../setup/run.js";
import { project, setup } from "../setup/setup.js";

const tools = await setup(["packages", "native"]);
const { compile } = await import("../package/build.js");
const seed = String(Math.floor(Date.now() / 86_400_000)); // of the day
console.log(`PHASOR_SEED=${seed} repeats this night's choices.`);
const env = { ...tools.env, PHASOR_SWEEP: "1", PHASOR_SEED: seed };

await step("Compiling the C++ tests for speed", () =>
  compile(tools, "native-fast", ["phasor_tests"], ["-DCMAKE_BUILD_TYPE=Release"]),
);
await run(join(project, "build", "native-fast", "phasor_tests"), ["--duration=true"], { env });
await run(process.execPath, ["scripts/test/tiers.js", "all"], { cwd: project, env });
