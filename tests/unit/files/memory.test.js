import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { atNight, sampled } from "../../sample.js";
import { BYTES, crowded } from "./crowded.js";

const program = fileURLToPath(new URL("crowded.js", import.meta.url));
const run = promisify(execFile);

// A file's bytes lie outside of V8's heap, and a reader copies them once. So what the heap may hold besides is twice
// the file, of which the text takes once. The rest is Node's own, 5 MB, and what a collection has not found yet.
const HEAP = Math.round((2 * BYTES) / 2 ** 20 + 17);

for (const [name, [code]] of sampled(Object.entries(crowded), 1 / 4)) {
  test(`${name} uses at most three times the file's bytes`, async () => {
    const given = [`--max-old-space-size=${HEAP}`, "--max-semi-space-size=4", program, name];
    const { stdout } = await run(process.execPath, given);
    assert.equal(stdout.trim(), code);
  });
}

const entry = JSON.stringify(new URL("entry.js", import.meta.url).href);
const writing = `
  import { writeFile } from "node:fs/promises";
  import { npz } from ${entry};
  const [path, compress] = process.argv.slice(1);
  const zeros = new Float32Array(2 ** 25);
  await writeFile(path, await npz.write({ zeros }, { compress: compress === "true" }));
`;
const reading = `
  import { openAsBlob } from "node:fs";
  import { npz } from ${entry};
  const opened = await npz.read(await openAsBlob(process.argv[1]), { maxBytes: 2 ** 28 });
  const before = process.memoryUsage.rss();
  const { size } = await opened.tensor("zeros");
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify([size, (peak - before) / (4 * size)]));
`;

// Two processes, since one begins with the peak of the one that started it. The peak is the system's own count: the
// array, and the chunks that no collection has found yet.
for (const compress of [true, false]) {
  const how = compress ? "deflated" : "stored";
  test(
    `an array of an .npz file is in memory only once, ${how}`,
    compress ? {} : atNight,
    async (t) => {
      const folder = await mkdtemp(join(tmpdir(), "phasor-npz-"));
      t.after(() => rm(folder, { recursive: true }));
      const path = join(folder, "zeros.npz");
      const program = ["--input-type=module", "-e"];
      await run(process.execPath, [...program, writing, path, String(compress)]);
      const { stdout } = await run(process.execPath, [...program, reading, path]);
      const [size, times] = JSON.parse(stdout);
      t.diagnostic(`${times.toFixed(2)} times the array`);
      assert.equal(size, 2 ** 25);
      assert.ok(times > 0.9 && times < 1.8, `${times} times the array`);
    },
  );
}
