// The form of all files: formatters, linters, types, and the rules of text.
// More than 20 s of CPU in a fresh clone: each tool reads the whole tree, and keeps what it read for the next run.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { run } from "../scripts/setup/run.js";
import { project, setup } from "../scripts/setup/setup.js";
import { BRITISH, DELIBERATE, DIALECT } from "./dialect.js";

const tools = await setup(["format"]);
const young = "--max-semi-space-size=64"; // holds what a tool makes of a file: a tenth less of CPU

/** @param {string} command @param {string[]} args */
async function clean(command, args) {
  await run(command, args, { cwd: project, env: tools.env, capture: true }).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}${error.stderr}`);
  });
}

/** Runs a package's program. @param {string} name @param {string} file @param {string[]} args */
const tool = (name, file, args) =>
  clean(process.execPath, [young, join(project, "node_modules", name, file), ...args]);

/** What files a tool has looked at, by their content: it looks at them again when they have changed. @param {string} name */
const cache = (name) => [
  ...["--cache", "--cache-strategy=content"],
  `--cache-location=${join(project, "build", `.${name}-cache`)}`,
];

describe("style", { concurrency: 2 }, () => {
  test("Prettier has nothing to change", () =>
    tool("prettier", "bin/prettier.cjs", ["--check", ".", ...cache("prettier")]));

  test("tsc --checkJs --strict finds no error", () => {
    const memory = ["--incremental", "--tsBuildInfoFile", join(project, "build", ".tsc-cache")];
    return tool("typescript-7", "bin/tsc", memory);
  });

  test("ESLint reports nothing", () => tool("eslint", "bin/eslint.js", [".", ...cache("eslint")]));

  test("clang-format has nothing to change", () => {
    const files = ["src", "tests"].flatMap((folder) =>
      readdirSync(join(project, folder), { recursive: true })
        .map((path) => join(folder, String(path)))
        .filter((path) => /\.(h|cpp)$/.test(path)),
    );
    assert.ok(files.length > 10);
    return clean(String(tools.clangFormat), ["--dry-run", "-Werror", ...files]);
  });
});

/** Files with text that is read: documents, sources with their comments and messages, tests, pages. */
function prose() {
  const inFolders = ["src", "tests", "scripts", "web"].flatMap(
    (folder) =>
      readdirSync(join(project, folder), { recursive: true })
        .map((path) => join(folder, String(path)))
        .filter((path) => /\.(js|py|h|cpp|html|css|md)$/.test(path))
        .filter((path) => !path.includes("node_modules")), // the bench installs its contestants
  );
  const documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
  return [...documents, ...inFolders].filter((path) => path !== join("tests", "dialect.js"));
}

test("style: text is plain American English", () => {
  const found = prose().flatMap((path) =>
    readFileSync(join(project, path), "utf8")
      .split("\n")
      .flatMap((line, i) => {
        const phrase = DIALECT.find(([phrase]) => phrase.test(line));
        const british = DELIBERATE.test(line) ? undefined : BRITISH.exec(line)?.[0];
        const what = phrase ? `write "${phrase[1]}"` : british && `British: ${british}`;
        return what ? [`${path}:${i + 1} ${what}: ${line.trim().slice(0, 80)}`] : [];
      }),
  );
  assert.deepEqual(found, []);
});

/** The commit from which on messages follow the rules. */
const FIRST = "0402bd51e4735757c9c30bbe59da4f09d770a7ec";

/** Imperatives that end like another form of a verb. */
const IMPERATIVES =
  /^(Access|Address|Bring|Bypass|Compress|Discuss|Embed|Express|Feed|Focus|Need|Pass|Press|Process|Seed|Speed|String|Suppress)$/;

/** What is wrong with a commit's message, if anything is. @param {string} subject @param {string} body */
function problemOf(subject, body) {
  if (subject.length > 72) return `${subject.length} characters; at most 72`;
  if (body.trim() === "") return "no body that says why";
  if (/^[\w./-]+( [\w./-]+){0,2}: ./.test(subject)) return undefined; // "Tests: ...", which may be a statement
  const [first] = subject.split(/[ ,]/);
  if (!/^[A-Z][a-z-]*$/.test(first)) return "the first word must be a capitalized verb";
  const isImperative = IMPERATIVES.test(first) || !/(ed|ing|s)$|^(An?|The|It|No|One)$/.test(first);
  return isImperative ? undefined : `the first word must be imperative; got "${first}"`;
}

test("style: commit messages have a short, imperative subject and a body", (t) => {
  const range = `${FIRST}..HEAD`;
  const format = "--format=%h%x00%s%x00%b%x01";
  const log = spawnSync("git", ["log", "--no-merges", format, range], {
    cwd: project,
    encoding: "utf8",
  });
  if (log.status !== 0) return t.skip("this copy has no history, or a shallow one");
  const found = log.stdout
    .split("\x01\n")
    .filter(Boolean)
    .flatMap((entry) => {
      const [hash, subject, body] = entry.split("\0");
      const problem = problemOf(subject, body);
      return problem ? [`${hash} ${subject}: ${problem}`] : [];
    });
  assert.deepEqual(found, []);
});

test("style: a commit message that breaks a rule is found", () => {
  const why = "Because.";
  assert.equal(problemOf("Add a function", why), undefined);
  assert.equal(problemOf("Process rows in tiles", why), undefined);
  assert.equal(problemOf("Tests: pages are loaded once", why), undefined);
  assert.match(String(problemOf("Add a function", "")), /no body/);
  assert.match(String(problemOf("add a function", why)), /capitalized/);
  assert.match(String(problemOf("Added a function", why)), /imperative/);
  assert.match(String(problemOf("The rows are read once", why)), /imperative/);
  assert.match(String(problemOf(`Add ${"x".repeat(70)}`, why)), /at most 72/);
});
