// `npm run format`: puts every file into the form that tests/style.test.js asks for.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "../setup/run.js";
import { project, setup } from "../setup/setup.js";

const tools = await setup(["packages", "format"]);
const cpp = ["src", "tests"].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true })
    .map((path) => join(folder, String(path)))
    .filter((path) => /\.(h|cpp)$/.test(path)),
);
const at = { cwd: project, env: tools.env };
await run(String(tools.clangFormat), ["-i", ...cpp], at);
await run("prettier", ["--write", "--log-level=warn", "."], at);
await run("eslint", ["--fix", "."], at);
