// Every regular expression of src and web on long texts that are made for it: its characters, repeated. One that takes
// quadratic time needs minutes for a megabyte that a stranger wrote. ESLint's regexp/no-super-linear-* reads them as well.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { project } from "../../scripts/setup/setup.js";

/** Characters of a text. What is linear reads them in about 2 ms, what is quadratic in half a second or more. */
const LENGTH = 60_000;

/** ms of this process */
const MOST = 150;

/** Every regular expression of src and web by its source, with the file that has it. @type {Map<string, string>} */
const found = new Map();
for (const folder of ["src", "web"]) {
  for (const name of readdirSync(join(project, folder), { encoding: "utf8", recursive: true })) {
    const path = join(project, folder, name);
    if (!name.endsWith(".js")) continue;
    /** @param {ts.Node} node */
    const visit = (node) => {
      if (ts.isRegularExpressionLiteral(node)) found.set(node.text, join(folder, name));
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest));
  }
}

/** What a class of characters holds. @type {Record<string, string>} */
const MEMBERS = { d: "1", s: " ", w: "a", n: "\n", t: "\t", r: "\r", S: "a", D: "a", W: "." };

/** Short texts to repeat: each character of an expression, its pairs, and its words. @param {string} pattern */
function unitsOf(pattern) {
  const letters = new Set("a1 ");
  for (const [, escaped, plain] of pattern.matchAll(/\\([^pPuxk])|([^\\()[\]{}?*+|^$])/g)) {
    letters.add(plain ?? MEMBERS[escaped] ?? escaped);
  }
  const list = [...letters].slice(0, 24);
  const words = pattern.replace(/[\\()]/g, "").match(/[\w ;:,'"=<>/-]{3,}/g) ?? [];
  return [...list, ...list.map((letter, i) => letter + list[(i + 1) % list.length]), ...words];
}

/** What a text must begin with: characters before the first group, and an "a" for each class. @param {string} pattern */
const beginOf = (pattern) =>
  /^\^?((?:[\w ;:,'"=<>/#-]|\\[./-])*)/
    .exec(pattern.replace(/\[[^\]]+\][+*]?|\\[Sw][+*]?/g, "a"))?.[1]
    .replaceAll("\\", "") ?? "";

/** A literal as an expression. @param {string} text */
function compiled(text) {
  const end = text.lastIndexOf("/");
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** Whether a text takes too long. @param {RegExp} expression @param {string} text */
function isSlow(expression, text) {
  const start = process.cpuUsage();
  text.replace(expression, "");
  const { user, system } = process.cpuUsage(start);
  return user + system > MOST * 1000;
}

test("no regular expression of src and web takes quadratic time", (t) => {
  assert.ok(found.size > 250, `${found.size} expressions`);
  /** @type {string[]} */
  const slow = [];
  let texts = 0;
  for (const [literal, where] of found) {
    const expression = compiled(literal);
    for (const unit of unitsOf(expression.source)) {
      const long = unit.repeat(unit.length > 2 ? LENGTH / 3 : LENGTH / unit.length);
      for (const text of [`${long}\u0000`, `${beginOf(expression.source)}${long}\u0000!`]) {
        texts += 1;
        // twice: a pause for memory is no property of the expression
        if (isSlow(expression, text) && isSlow(expression, text)) {
          slow.push(`${where} ${literal} ${JSON.stringify(unit)}`);
        }
      }
    }
  }
  t.diagnostic(`${found.size} expressions, ${texts} texts`);
  assert.deepEqual([...new Set(slow)], []);
});
