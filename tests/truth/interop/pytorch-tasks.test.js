// The solutions of the lessons' tasks with PyTorch: each notebook's checks find them right.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "phasor";
import { run } from "../../../scripts/setup/run.js";
import { project } from "../../../scripts/setup/setup.js";
import { snake, tasks } from "../../../web/app/write/tasks/index.js";
import { inPyTorch, notebookOf, withTasks } from "../../../web/notebooks/lessons/notebook.js";

const python = join(project, "build/golden/python/bin/python");
const skip = existsSync(python) ? false : "npm run x -- test:interop";

test("PyTorch: the solution of every task returns what phasor computes", { skip }, async () => {
  const phasor = await load();
  const programs = withTasks.map(({ name: lesson }) => {
    const { cells } = JSON.parse(notebookOf(phasor, lesson));
    const own = tasks.filter((task) => task.lesson === lesson);
    const checks = own.map((task) => `${inPyTorch(task)}\ncheck(${snake(task.calls)})`);
    return [cells[1].source, ...checks].join("\n");
  });
  const { stdout } = await run(python, ["-c", programs.join("\n")], { capture: true });
  assert.equal(stdout.match(/^Right: /gm)?.length, tasks.length, stdout);
});
