// The mutants of C++: which there are, and which a native test notices.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compile } from "../../package/build.js";
import { filesIn } from "../../setup/once.js";
import { project, setup } from "../../setup/setup.js";
import { applied } from "./mutants.js";

/** @import { Mutant } from "./mutants.js" */

/** @type {Record<string, string[]>} */
const OPERATORS = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "==": ["!="],
  "!=": ["=="],
  "&&": ["||"],
  "||": ["&&"],
  "+": ["-"],
  "-": ["+"],
};

/** Text, comments, and what the compiler alone reads stay. A ' within a number begins no text. */
const SILENT =
  /\d[\d']*|\/\/.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^#.*|\bstatic_assert\([^;]*;|^template <.*/gm;

/** Functions whose first two arguments may change places. */
const SYMMETRIC = /(?:add|mul|min|max|and|or|eq|ne|hypot|visible)$/;

/** A parameter of a declaration. */
const DECLARED = /^[\w:]+(<.*>)?[\s*&]+\w+$/;

/**
 * The mutants of a file as clang-format has written it: operators exchanged, numbers one more and one less, conditions
 * negated, loops that do not run, calls left out, and neighbors among the arguments exchanged.
 * @param {string} source @returns {Mutant[]} in the order of the file
 */
export function mutantsOfCpp(source) {
  const code = source.replace(SILENT, (text) =>
    /^\d/.test(text) ? text : text.replace(/[^\n]/g, " "),
  );
  /** @type {Mutant[]} */
  const mutants = [];
  /** @param {number} start @param {number} end @param {string} text */
  const replace = (start, end, text) => {
    const line = source.slice(0, start).split("\n").length;
    const short = (/** @type {string} */ code) => code.replace(/\s+/g, " ").slice(0, 60);
    const what = `${short(source.slice(start, end))} -> ${short(text)}`;
    mutants.push({ start, end, text, of: "", line, what });
  };
  /** The parts between the separators of a bracket that is open. @param {number} at @param {string} separator */
  const parts = (at, separator) => {
    const list = [{ start: at, end: at }];
    for (let depth = 0, i = at; i < code.length; ++i) {
      if (depth === 0 && (code[i] === ")" || code[i] === separator)) {
        list[list.length - 1].end = i;
        if (code[i] === ")") return list;
        list.push({ start: i + 1, end: i + 1 });
      } else if ("([{".includes(code[i])) ++depth;
      else if (")]}".includes(code[i])) --depth;
    }
    return [];
  };
  const textOf = (/** @type {{ start: number, end: number }} */ { start, end }) =>
    source.slice(start, end).trim();

  /** Whether a place is in `i + 4 <= n`: what fewer whole vectors leave, the rest of the loop computes. @param {number} at */
  const isOfLanes = (at) =>
    lanes.some(({ 0: text, index }) => index <= at && at < index + text.length);
  const lanes = [...code.matchAll(/ \+ (?:\d+|k\w+) <=/g)];

  for (const { 1: operator, index } of code.matchAll(/ (<=?|>=?|==|!=|&&|\|\||\+|-)(?=\s)/g)) {
    for (const text of OPERATORS[operator]) {
      if (isOfLanes(index) && "<-".includes(text)) continue;
      replace(index + 1, index + 1 + operator.length, text);
    }
  }
  for (const { 0: digits, index } of code.matchAll(/(?<![\w.'<])(?<!\d[eE][-+])\d+(?![\w.'])/g)) {
    for (const value of [Number(digits) + 1, Number(digits) - 1]) {
      if (value >= 0 && !(isOfLanes(index) && value > Number(digits)))
        replace(index, index + digits.length, String(value));
    }
  }
  for (const { 0: begin, 1: word, index } of code.matchAll(/\b(if constexpr|if|while|for) \(/g)) {
    const list = parts(index + begin.length, ";");
    const { start, end } = list[word === "for" ? 1 : 0] ?? { start: 0, end: 0 };
    if (
      word === "for" &&
      list.length === 3 &&
      !lanes.some(({ index }) => index > start && index < end)
    )
      replace(start, end, " false");
    else if (word !== "for" && list.length === 1)
      replace(start, end, `!(${source.slice(start, end)})`);
  }
  for (const { 0: call, 1: space, index } of code.matchAll(
    /^( +)[\w:]+(?:<\w+>)?\(.*\);(?= *$)/gm,
  )) {
    replace(index + space.length, index + call.length, ";");
  }
  for (const { 0: begin, 1: name, index } of code.matchAll(/\b(\w+)(?:<\w+>)?\(/g)) {
    const list = parts(index + begin.length, ",");
    for (const [i, right] of list.entries()) {
      if (i === 0 || (i === 1 && SYMMETRIC.test(name))) continue;
      const [a, b] = [textOf(list[i - 1]), textOf(right)];
      if (a !== b && !DECLARED.test(b)) replace(list[i - 1].start, right.end, `${b}, ${a}`);
    }
  }
  return mutants.sort((a, b) => a.start - b.start);
}

/**
 * Of each mutant whether a native test of its folder notices it; undefined where it does not compile.
 * @param {string} file @param {readonly { mutant: Mutant }[]} mutants @param {string} folder  for what is compiled
 * @returns {Promise<(boolean | undefined)[]>}
 */
export async function triedCpp(file, mutants, folder) {
  const tools = await setup(["native"]);
  const header = `#include "${dirname(file).slice("src/".length)}/`;
  const tests = filesIn("tests", ".test.cpp").filter((path) =>
    readFileSync(join(project, path), "utf8").includes(header),
  );
  const options = ["-DCMAKE_CXX_FLAGS=-O1", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"];
  const words = `-DPHASOR_WORDS=${tests.map((path) => path.slice("tests/".length)).join(";")}`;
  await compile(tools, "mutate/native", ["phasor_some_tests"], [...options, words]);

  const build = "build/mutate/native";
  const at = join(project, build);
  const [source, program, object] = ["mutant.cpp", "mutant", "mutant.o"].map((name) =>
    join(folder, name),
  );
  const original = join(project, file);
  const text = readFileSync(original, "utf8");
  /** @type {{ file: string, command: string }[]} */
  const commands = JSON.parse(readFileSync(join(at, "compile_commands.json"), "utf8"));
  const { command } = commands.find(
    (each) => each.file === original && each.command.includes("phasor_core.dir"),
  ) ?? { command: "" };
  const compiling = `${command.replace(/ -o \S+/, ` -o ${object}`).replace(original, source)} -fsanitize=address`;
  const used = (/** @type {string} */ path) =>
    path.includes("phasor_some_tests.dir")
      ? tests.some((test) => path.endsWith(`${test}.o`))
      : !path.endsWith(`phasor_core.dir/${file}.o`);
  const objects = filesIn(build, ".o").filter(used);
  const link = [
    String(tools.cxx),
    "-fsanitize=address",
    object,
    ...objects,
    "-lquadmath",
    "-o",
    program,
  ];

  /** @param {string} command @param {number} [timeout] */
  const works = (command, timeout) =>
    spawnSync(command, {
      shell: true,
      cwd: at,
      timeout,
      killSignal: "SIGKILL",
      stdio: "ignore",
      env: { ...tools.env, ASAN_OPTIONS: "detect_leaks=0" },
    }).status === 0;
  /** @param {string} changed @param {number} limit */
  const passes = (changed, limit) => {
    writeFileSync(source, changed);
    const linked = link.map((path) => (path.startsWith("build") ? join(project, path) : path));
    if (!works(compiling) || !works(linked.join(" "))) return undefined;
    return works(`exec ${program} --abort-after=1`, limit);
  };
  const began = Date.now();
  if (!passes(text, 600_000)) throw new Error(`The tests of ${file} fail on the source`);
  const limit = 5000 + 4 * (Date.now() - began);
  return mutants.map(({ mutant }) => {
    const result = passes(applied(text, mutant), limit);
    return result === undefined ? undefined : !result;
  });
}
