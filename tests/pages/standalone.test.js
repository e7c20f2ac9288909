import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { standalone } from "../../web/app/standalone.js";

const execute = promisify(execFile);

test("a copied program names the addresses of its data, and runs without the site from then on", async () => {
  let count = 0;
  const server = createServer((_, response) => response.end(`answer ${++count}`));
  server.unref();
  await new Promise((next) => server.listen(0, "127.0.0.1", () => next(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const address = `http://127.0.0.1:${port}/page/assets/words-Ab3.txt`;
  const copied = standalone(
    `const list = await fetch("${address}");\ndisplay(await list.text());\n`,
  );
  assert.match(copied.split("\n")[1], /^\/\/ Data, which the first run saves beside the program/);
  assert.equal(copied.split("\n")[2], `//   ${address}`);
  assert.match(copied, /once while it is served/);
  assert.doesNotMatch(standalone('fetch("https://a.example/b"); display(1)'), /while it is served/);
  const folder = mkdtempSync(join(tmpdir(), "phasor-copied-"));
  const run = async () => (await execute(process.execPath, [join(folder, "program.mjs")])).stdout;
  writeFileSync(join(folder, "program.mjs"), copied);
  assert.equal(await run(), "answer 1\n");
  server.closeAllConnections();
  await new Promise((next) => server.close(next));
  assert.equal(await run(), "answer 1\n");
  assert.deepEqual(readdirSync(folder).sort(), ["program.mjs", "words-Ab3.txt"]);
  rmSync(folder, { recursive: true });
});
