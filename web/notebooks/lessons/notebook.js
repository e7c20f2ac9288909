/** @import { Phasor } from "phasor" */
/** @import { Task, Value } from "../../app/write/tasks/index.js" */
import { readFileSync } from "node:fs";
import { measured } from "../../app/write/judge.js";
import { nameInPython, snake, tasks } from "../../app/write/tasks/index.js";
import { lessons } from "../../lessons/lessons.js";

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url), "utf8");
const [calls, comparison] = ["../../app/write/calls.py", "check.py"].map(read);

/** The same function with PyTorch, which does not run on the page. @param {Task} task */
export const inPyTorch = ({ name }) => read(`../../app/write/pytorch/${name}.py`);

/** The lessons that have tasks, in their order. */
export const withTasks = lessons.filter(({ name }) => tasks.some(({ lesson }) => lesson === name));

/**
 * A lesson's tasks as a notebook: statements and stubs with NumPy, and checks by phasor's values, which it carries.
 *
 * @param {Phasor} phasor
 * @param {string} name  of the lesson
 * @returns {string} JSON
 */
export function notebookOf(phasor, name) {
  const lesson = lessons.find((each) => each.name === name);
  const own = tasks.filter((task) => task.lesson === name);
  if (!lesson || own.length === 0) throw new Error(`no task is of the lesson ${name}`);
  const cells = [
    markdown(
      "title",
      `# Write it yourself: ${lesson.title}\n\nRun the next cell once. Then write each function, run its cell, and run the check below it. NumPy is all that this notebook needs; where PyTorch is installed, a function may return its tensors, too. The right numbers were computed by phasor.`,
    ),
    {
      ...code("setup", `${calls}\n\n${comparison}\n\n${dataOf(phasor, own)}`),
      metadata: { jupyter: { source_hidden: true }, cellView: "form" },
    },
    ...own.flatMap((task) => [
      markdown(task.name, `## ${task.title}\n\n${statementOf(task)}`),
      code(`${task.name}-yours`, task.python.stub.trimEnd()),
      code(`${task.name}-check`, `check(${snake(task.calls)})`),
      markdown(
        `${task.name}-solution`,
        `<details><summary>A solution</summary>\n\n\`\`\`python\n${task.python.solution}\`\`\`\n\n</details>\n\n<details><summary>A solution with PyTorch</summary>\n\n\`\`\`python\n${inPyTorch(task)}\`\`\`\n\n</details>`,
      ),
    ]),
  ];
  const python = { name: "python3", display_name: "Python 3", language: "python" };
  return JSON.stringify(
    {
      cells,
      metadata: { kernelspec: python, language_info: { name: "python" } },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  );
}

/** @param {string} id @param {string} source */
const markdown = (id, source) => ({ cell_type: "markdown", id, metadata: {}, source });

/** @param {string} id @param {string} source */
const code = (id, source) => ({
  cell_type: "code",
  id,
  execution_count: null,
  metadata: {},
  outputs: [],
  source,
});

/** What the checks compare with. @param {Phasor} phasor @param {readonly Task[]} of */
function dataOf(phasor, of) {
  const data = of.map(({ calls, parameters, axes, inputs, expected, mistakes, pairs = [] }) => {
    const returned = (/** @type {Task["expected"]} */ by) =>
      inputs.map((given) => numbers(by(phasor, ...given)));
    const wrong = [...mistakes, ...pairs].map(({ says, wrong }) => ({
      says,
      returned: returned(wrong),
    }));
    return [
      snake(calls),
      { parameters, axes, inputs, expected: returned(expected), mistakes: wrong },
    ];
  });
  return `TASKS = json.loads(r"""\n${JSON.stringify(Object.fromEntries(data))}\n""")`;
}

/** Numbers with the digits that a check needs; JSON has no infinity. @param {Value} value */
function numbers(value) {
  const { shape, data } = measured(value);
  const digits = (/** @type {number} */ x) =>
    Number.isFinite(x) ? Number(x.toPrecision(8)) : String(x);
  return { shape, data: data.map(digits) };
}

/** The statement for Python: names with underscores, TeX between dollars. @param {Task} task */
function statementOf(task) {
  return nameInPython(task.statement, task)
    .replace(/\\[()]/g, "$")
    .replace(/\\[[\]]/g, "$$$$")
    .replace(/<\/?p>/g, "")
    .replace(/<code>([^<]*)<\/code>/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim();
}
