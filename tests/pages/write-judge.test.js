// The tasks' judge, without a browser: programs run in a context of Node, their results are judged.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { load } from "phasor";
import { callsOf } from "../../web/app/write/calls.js";
import { judge } from "../../web/app/write/judge.js";
import { taskOf, tasks } from "../../web/app/write/tasks/index.js";
import { WRONG } from "./write-wrong.js";

const phasor = await load();

/** What the frame tells the page of a program. @param {string} code @param {import("../../web/app/write/tasks/index.js").Task} task */
async function messagesOf(code, task) {
  /** @type {any[]} */
  const messages = [];
  const parent = { postMessage: (/** @type {any} */ each) => messages.push(structuredClone(each)) };
  const context = createContext({ parent, setTimeout });
  await runInContext(`(async () => {${code}${callsOf(task.calls, task.inputs)}})()`, context);
  return messages;
}

/** The verdict on a program. @param {string} name @param {string} [code] */
async function judged(name, code) {
  const task = taskOf(name);
  const messages = await messagesOf(code ?? task.solution, task);
  return judge(task, phasor, messages.at(-1).returned);
}

/** A task's solution with a mistake. @param {string} name @param {(typeof WRONG)[string][number]} wrong */
function withMistake(name, wrong) {
  if (typeof wrong === "string") return wrong;
  let code = taskOf(name).solution;
  for (const [from, to] of wrong) {
    assert.ok(code.includes(from), `the solution of ${name} has no ${from}`);
    code = code.replaceAll(from, () => to);
  }
  return code;
}

/** Mistakes of a task, by their numbers in WRONG, that one program makes. @type {[string, number, number][]} */
const TWO = [
  ["sinusoid-row", 0, 1],
  ["sinusoid-row", 0, 3],
  ["sinusoid-row", 0, 7],
  ["sinusoid-table", 0, 5],
  ["sinusoid-table", 0, 1],
  ["sinusoid-table", 5, 7],
  ["rope", 0, 4],
  ["rope", 2, 4],
  ["rope", 2, 3],
  ["alibi", 2, 3],
  ["alibi", 2, 6],
  ["alibi", 4, 6],
  ["t5-bucket", 0, 4],
  ["t5-bucket", 0, 5],
  ["token-and-position", 0, 5],
  ["token-and-position", 2, 6],
  ["gpt2-input", 0, 3],
  ["gpt2-input", 2, 3],
];

for (const { name, stub, mistakes } of tasks) {
  describe(`task ${name}`, () => {
    test("the solution is right", async () => {
      const { right, words, likely } = await judged(name);
      assert.ok(right, `${words} ${likely}`);
    });

    test("the stub is not", async () => {
      const { right } = await judged(name, stub);
      assert.equal(right, false);
    });

    test("a solution of typed arrays is right", async () => {
      const typed = `
        const typed = (x) => (typeof x[0] === "number" ? Float32Array.from(x) : x.map(typed));
        const plain_ = ${taskOf(name).calls};
        ${taskOf(name).calls} = (...given) => {
          const made = plain_(...given);
          return typeof made === "number" ? made : typed(made);
        };`;
      const { right } = await judged(name, taskOf(name).solution + typed);
      assert.ok(right);
    });

    assert.equal(WRONG[name].length, mistakes.length, `${name} has a program for each mistake`);
    for (const [i, wrong] of WRONG[name].entries()) {
      test(`feedback on a program: ${mistakes[i].says}`, async () => {
        const { right, likely } = await judged(name, withMistake(name, wrong));
        assert.equal(right, false);
        assert.equal(likely, mistakes[i].says);
      });
    }
  });
}

for (const [name, i, j] of TWO) {
  test(`feedback on a program for ${name} with two mistakes, ${i} and ${j}`, async () => {
    const [a, b] = [i, j].map(
      (at) => /** @type {readonly (readonly [string, string])[]} */ (WRONG[name][at]),
    );
    let code = taskOf(name).solution;
    for (const [from, to] of [...a, ...b]) {
      assert.ok(code.includes(from), `there is no ${from} in ${code}`);
      code = code.replaceAll(from, () => to);
    }
    const { right, likely } = await judged(name, code);
    assert.equal(right, false);
    const { mistakes } = taskOf(name);
    assert.match(String(likely), /^Two mistakes at once\. /);
    for (const at of [i, j]) assert.ok(likely?.includes(mistakes[at].says), likely);
  });
}

test("judge: programs with other mistakes are not explained by two", async () => {
  for (const [name, from, to] of [
    ["rope", "Math.sin(angle)", "Math.sin(2 * angle)"],
    ["alibi", "-slope * (i - j)", "-slope * (i - j) ** 2"],
    ["sinusoid-row", "10000", "5000"],
    ["token-and-position", "scale * value +", "Math.tanh(value) +"],
    ["gpt2-input", "value + wpe", "3 * value + wpe"],
  ]) {
    const { solution } = taskOf(name);
    assert.ok(solution.includes(from), name);
    const { right, likely } = await judged(
      name,
      solution.replace(from, () => to),
    );
    assert.deepEqual({ right, likely }, { right: false, likely: undefined }, name);
  }
});

test("judge: the first number that differs is named, with as many digits as show it", async () => {
  const { words, cell, likely } = await judged(
    "sinusoid-table",
    "const sinusoidTable = (length, dim) => Array.from({ length }, () => new Array(dim).fill(0));",
  );
  assert.equal(words, "Not yet.");
  assert.deepEqual(cell, {
    where: "sinusoidTable(4, 6, 10000), position 0, dimension 1",
    yours: "0",
    right: "1",
  });
  assert.equal(likely, undefined);
  const near = await judged(
    "cosine",
    taskOf("cosine").solution.replace("return dot", "return 1.0001 * dot"),
  );
  assert.deepEqual(near.cell, {
    where: "cosine([1, 2], [3, 4])",
    yours: "0.98397",
    right: "0.98387",
  });
  const nearer = await judged(
    "cosine",
    taskOf("cosine").solution.replace("return dot", "return 1.00001 * dot - 4e-6"),
  );
  assert.notEqual(nearer.cell?.yours, nearer.cell?.right);
});

test("judge: what a function returns instead of numbers is named", async () => {
  const said = {
    "": "got undefined. Is a return missing?",
    "return null": "got null.",
    "return '1'": "got string.",
    "return [1, undefined]": "got an array with undefined.",
    "return [1, , 2]": "got an array with undefined.",
    "return [[1, 2], [3]]": "got rows of different lengths.",
    "return [1, [2]]": "got rows of different lengths.",
    "return [1, 2]": "got an array of 2 numbers.",
    "return []": "got an array of 0 numbers.",
    "return 7": "got a number.",
    "return [[1, 2, 3, 4, 5, 6, 7, 8]]": "got 1 row of 8 numbers.",
    "return [[[1]]]": "got nested arrays of shape [1, 1, 1].",
    "return [[[[[1]]]]]": "got arrays nested too deeply.",
    "return new Array(20000).fill(0)": "got an array that is too large.",
    "return Promise.resolve([1])": "got an object of the class Promise.",
    "return Object.create(null)": "got an object of the class null.",
    "return { a: 1 }": "got an object of the class Object.",
    "const a = []; a.push(a); return a": "got arrays nested too deeply.",
    "return 3n": "got bigint.",
  };
  for (const [body, tail] of Object.entries(said)) {
    const { words } = await judged("sinusoid-row", `function sinusoidRow() { ${body} }`);
    assert.equal(words, `sinusoidRow(0, 8) must return an array of 8 numbers; ${tail}`);
  }
  const { words, cell } = await judged(
    "sinusoid-row",
    "const sinusoidRow = (position, dim) => new Array(dim).fill(NaN);",
  );
  assert.match(words, /^Not yet\. NaN is the result of/);
  assert.equal(cell?.yours, "NaN");
});

test("judge: messages that no program of a task sends are refused", () => {
  const task = taskOf("cosine");
  for (const returned of [[], [{}], [null, 1], [[[[[[[1]]]]]]], ["x"], [{ kind: 7 }]]) {
    assert.equal(judge(task, phasor, returned).right, false);
  }
});

test("calls: a program without the function says so, and a throwing one is known by its call", async () => {
  const task = taskOf("cosine");
  assert.deepEqual(await messagesOf("", task), [{ state: "returned", missing: "undefined" }]);
  assert.deepEqual(await messagesOf("const cosine = 3;", task), [
    { state: "returned", missing: "number" },
  ]);
  const names = "const parent = 1, isList = 2, plain = 3, setTimeout = 4; let cosine = () => 0;";
  const messages = await messagesOf(names, task);
  assert.deepEqual(
    messages.map(({ state }) => state),
    [...task.inputs.map(() => "calls"), "returned"],
  );
});

test("tasks: names, functions and statements are as they should be", () => {
  assert.equal(new Set(tasks.map(({ name }) => name)).size, tasks.length);
  for (const {
    name,
    calls,
    statement,
    hints,
    inputs,
    parameters,
    stub,
    solution,
    python,
  } of tasks) {
    assert.match(name, /^[a-z0-9-]+$/);
    assert.ok(statement.includes(`<code>${calls}(`), name);
    assert.ok(hints.length >= 2, name);
    for (const given of inputs) assert.equal(given.length, parameters.length, name);
    for (const code of [stub, solution]) assert.ok(code.includes(calls), name);
    for (const code of [python.stub, python.solution])
      assert.match(code, /^def [a-z0-9_]+\(/, name);
  }
});
