import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { run } from "../scripts/run.js";
import { project, setup } from "../scripts/setup.js";
import { BRITISH, DELIBERATE, DIALECT } from "./dialect.js";

const tools = await setup(["format"]);

/** @param {string} command @param {string[]} args */
async function clean(command, args) {
  await run(command, args, { cwd: project, env: tools.env, capture: true }).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}${error.stderr}`);
  });
}

/** @param {string} name  of a package @param {string} file */
const tool = (name, file) => join(project, "node_modules", name, file);

/** What files a tool has looked at, by their content: it looks at them again when they have changed. @param {string} name */
const cache = (name) => [
  ...["--cache", "--cache-strategy=content"],
  `--cache-location=${join(project, "build", `.${name}-cache`)}`,
];

describe("style", { concurrency: 2 }, () => {
  test("Prettier has nothing to change", () =>
    clean(process.execPath, [
      tool("prettier", "bin/prettier.cjs"),
      "--check",
      ".",
      ...cache("prettier"),
    ]));

  test("tsc --checkJs --strict finds no error", () => {
    const memory = ["--incremental", "--tsBuildInfoFile", join(project, "build", ".tsc-cache")];
    return clean(process.execPath, [tool("typescript", "bin/tsc"), ...memory]);
  });

  test("ESLint reports nothing", () =>
    clean(process.execPath, [tool("eslint", "bin/eslint.js"), ".", ...cache("eslint")]));

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
  const inFolders = ["src", "tests", "scripts", "web"].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true })
      .map((path) => join(folder, String(path)))
      .filter((path) => /\.(js|py|h|cpp|html|css|md)$/.test(path)),
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
