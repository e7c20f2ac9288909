// `npm run x -- golden`: makes the reference values of tests/truth/golden again, with the programs that produce
// them, and compares. A difference must have a reason in tests/truth/golden/make/differences.json.
// `--write` replaces the committed files instead.

import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installFromPyPI } from "../setup/install.js";
import { run, runScript, step } from "../setup/run.js";
import { project, setup } from "../setup/setup.js";
import { build } from "../package/build.js";
import { writeNeedle } from "./needle.js";

const committed = join(project, "tests/truth/golden");
const make = join(committed, "make");
const made = join(project, "build/golden/out");
const environment = join(project, "build/golden/python");

/** Installs what the scripts import into the Python below build/golden. */
async function install() {
  const tools = await setup(["python"]);
  const { stdout } = await run(String(tools.python), ["--version"], { capture: true });
  if (!stdout.startsWith("Python 3.11.")) {
    throw new Error(`python3 must be Python 3.11; got ${stdout.trim()}.`);
  }
  const options = ["--no-deps", "--only-binary=:all:"];
  const list = join(make, "requirements.txt");
  await installFromPyPI("PyTorch and other packages", list, environment, options);
}

await runScript(async () => {
  const options = process.argv.slice(2);
  const write = options.includes("--write");
  if (options.some((option) => option !== "--write")) {
    throw new Error(`the option must be --write; got ${options.join(" ")}.`);
  }
  await install();
  await build({ types: false });
  const python = join(environment, "bin/python");
  await step("Making the reference values", async () => {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made, { recursive: true });
    await writeNeedle(join(made, "..", "needle.safetensors"));
    await run(python, ["-B", make, made]);
  });
  if (write) {
    const names = readdirSync(made);
    for (const name of names) {
      rmSync(join(committed, name), { recursive: true, force: true });
      cpSync(join(made, name), join(committed, name), { recursive: true });
    }
    console.log(`Replaced ${names.join(", ")} in tests/truth/golden.`);
  } else {
    await run(python, ["-B", join(make, "compare.py"), committed, made]);
  }
});
