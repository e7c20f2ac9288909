// The notebooks of the lessons' tasks: with the solutions all checks pass; with the stubs, and with a common
// mistake, they fail and say why. jupyterlite.test.js runs one of them in JupyterLite. The pages' way to run Python is
// tested with the same programs; write-python.test.js runs one on its page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { readFileSync } from "node:fs";
import { judge } from "../../../web/app/write/judge.js";
import { inPython, snake, tasks } from "../../../web/app/write/tasks/index.js";
import { inPyTorch, notebookOf, withTasks } from "../../../web/notebooks/lessons/notebook.js";
import { lacksNumpy, pythonWithNumpy } from "./site.js";

const phasor = await load();

/** @param {string} lesson @returns {any} */
const bookOf = (lesson) => JSON.parse(notebookOf(phasor, lesson));

/** A mistake in the solution of each task: the text that changes, and which of its mistakes the check names. @type {Record<string, [from: string, to: string, mistake: number]>} */
const WRONG = {
  "one-hot": ["ids] = 1", "np.array(ids) - 1] = 1", -1],
  lookup: ["table[ids]", "table[: len(ids)]", 0],
  cosine: [" / (np.linalg.norm(a) * np.linalg.norm(b))", "", 0],
  "sinusoid-row": ["-2 * i", "-i", 1],
  "sinusoid-table": ["t = np.arange(length)", "t = 1 + np.arange(length)", 5],
  "shift-matrix": ["[[cos, sin], [-sin, cos]]", "[[cos, -sin], [sin, cos]]", 0],
  "rotate-half": ["[-x[half:], x[:half]]", "[x[half:], -x[:half]]", 0],
  rope: ["position * 10000.0", "np.radians(position) * 10000.0", 3],
  alibi: ["-np.inf", "0", 2],
  "t5-bucket": ["16 if relative > 0 else 0", "0", 0],
  "layer-norm": [".mean()\n    return", ".sum() / (len(x) - 1)\n    return", 0],
  "token-and-position": ["scale * table[ids] +", "table[ids] +", 0],
  "gpt2-input": ["wpe[past : past + ids.shape[1]]", "wpe[: ids.shape[1]]", 0],
  "softmax-gradient": [" - (dp * p).sum(axis=-1, keepdims=True)", "", 0],
  "rotation-gradient": ["-position *", "position *", 0],
  adamw: [" / (1 - 0.99**n)", "", 2],
};

if (lacksNumpy) test("the lessons' notebooks", { skip: lacksNumpy }, () => {});
else {
  const python = await pythonWithNumpy();

  /** What a cell raises; empty if nothing. @param {string} code */
  const raised = (code) =>
    python
      .runPythonAsync(code)
      .then(() => "")
      .catch(({ message }) => String(message).trim());

  const own = (/** @type {string} */ name) =>
    readFileSync(new URL(`../../../web/app/write/${name}.py`, import.meta.url), "utf8");
  const names = python.globals.get("dict")();
  python.runPython(own("calls") + own("program"), { globals: names });

  /** What a function of program.py gives. @param {string} name @param {unknown[]} given @returns {any} */
  const made = (name, ...given) =>
    names
      .get(name)(...given)
      .toJs({ dict_converter: Object.fromEntries });

  /** The page's verdict on a program. @param {string} code @param {(typeof tasks)[number]} task */
  function judged(code, task) {
    assert.deepEqual(made("begin", code, snake(task.calls)), {});
    const parameters = JSON.stringify(task.parameters);
    const returned = task.inputs.map((given) => made("call", parameters, JSON.stringify(given)));
    assert.deepEqual(
      returned.filter(({ failed }) => failed),
      [],
    );
    return judge(
      inPython(task),
      phasor,
      returned.map(({ value }) => value),
    );
  }

  for (const task of tasks) {
    test(`Python on the page, ${task.name}: the solution is right, stub and mistake are not`, () => {
      const { stub, solution } = task.python;
      assert.ok(judged(solution, task).right);
      assert.equal(judged(stub, task).right, false);
      const [from, to, mistake] = WRONG[task.name];
      const { right, likely } = judged(
        solution.replace(from, () => to),
        task,
      );
      assert.equal(right, false);
      assert.equal(likely, task.mistakes[mistake]?.says);
    });
  }

  test("Python on the page: plain lists, tuples and truth values are results, strings are not", () => {
    const [cosine, lookup, oneHot] = ["cosine", "lookup", "one-hot"].map((name) =>
      tasks.find((task) => task.name === name),
    );
    assert.ok(cosine && lookup && oneHot);
    const listed = "def lookup(ids, table):\n    return tuple([list(table[i]) for i in ids])";
    assert.ok(judged(listed, lookup).right);
    const equal = "def one_hot(ids, size):\n    return ids[:, None] == np.arange(size)";
    assert.ok(judged(equal, oneHot).right);
    const text = "def cosine(a, b):\n    return str(a @ b / (a @ a * (b @ b)) ** 0.5)";
    assert.match(judged(text, cosine).words, /must return a number; got str\.$/);
  });

  for (const { name: lesson } of withTasks) {
    test(`the notebook of ${lesson}: solutions pass, stubs and mistakes are reported`, async () => {
      const { cells } = bookOf(lesson);
      const sourceOf = (/** @type {string} */ id) =>
        cells.find((/** @type {any} */ cell) => cell.id === id).source;
      assert.equal(await raised(sourceOf("setup")), "");
      for (const task of tasks.filter((each) => each.lesson === lesson)) {
        const { name, calls, mistakes } = task;
        const check = sourceOf(`${name}-check`);
        assert.equal(check, `check(${snake(calls)})`);

        const { solution } = task.python;
        assert.ok(sourceOf(`${name}-solution`).includes(solution));
        assert.ok(sourceOf(`${name}-solution`).includes(inPyTorch(task)));
        assert.equal(await raised(solution), "");
        assert.equal(await raised(check), "", name);

        assert.equal(await raised(sourceOf(`${name}-yours`)), "");
        const stub = await raised(check);
        assert.match(
          stub,
          /AssertionError: (Not yet\. )?\w+\(.*(yours .*, right|must return .*; got) /,
        );

        const [from, to, mistake] = WRONG[name];
        assert.ok(solution.includes(from), name);
        await python.runPythonAsync(solution.replace(from, () => to));
        const said = await raised(check);
        if (mistake < 0) assert.match(said, /yours .*, right/);
        else assert.ok(said.endsWith(`\nLikely: ${mistakes[mistake].says}`), `${name}: ${said}`);
      }
    });
  }

  test("a check gives arrays", async () => {
    await python.runPythonAsync(bookOf("rope").cells[1].source);
    const negated = "def rotate_half(x):\n    half = len(x) // 2\n";
    const code = `${negated}    return [*-x[half:], *x[:half]]\n\ncheck(rotate_half)`;
    assert.equal(await raised(code), "");
  });

  test("a check takes tensors, also those that keep a graph of gradients", async () => {
    await python.runPythonAsync(bookOf("rope").cells[1].source);
    // PyTorch is not in this Python. Its tensors with a gradient refuse to be arrays, and give lists.
    const tensor = `class Tensor:
    def __init__(self, numbers):
        self.numbers = numbers

    def __array__(self, *_, **__):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def tolist(self):
        return self.numbers

def rotate_half(x):
    half = len(x) // 2
    return Tensor([*(-x[half:]).tolist(), *x[:half].tolist()])

check(rotate_half)`;
    assert.equal(await raised(tensor), "");
    assert.match(await raised(tensor.replace("-x", "x")), /yours 3\.?0*, right/);
  });

  test("a check names what a function returns instead of numbers", async () => {
    await python.runPythonAsync(bookOf("trained-table").cells[1].source);
    for (const [body, words] of [
      [
        "return None",
        "cosine([1, 2], [3, 4]) must return a number; got None. Is a return missing?",
      ],
      ["return [1, 2]", "cosine([1, 2], [3, 4]) must return a number; got an array of shape [2]."],
      ["return {}", "cosine([1, 2], [3, 4]) must return a number; got dict."],
      ["return '0.98387'", "cosine([1, 2], [3, 4]) must return a number; got str."],
      ["return ['1']", "cosine([1, 2], [3, 4]) must return a number; got an array with str."],
      ["return b / c", "NameError: name 'c' is not defined, in cosine([1, 2], [3, 4])"],
      ["return float('nan')", "Not yet. cosine([1, 2], [3, 4]): yours nan, right 0.98387."],
    ]) {
      const said = await raised(`def cosine(a, b):\n    ${body}\n\ncheck(cosine)`);
      assert.ok(said.endsWith(`AssertionError: ${words}`), said);
    }
  });
}
