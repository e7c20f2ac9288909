import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { serveHub } from "../files/hub.js";
import { planted } from "../files/planted.js";

const gpt2 = planted(); // 147 MiB of words, made while they are read
const files = { "model.safetensors": gpt2, "config.json": JSON.stringify(gpt2.config) };
const hub = await serveHub({ "openai-community/gpt2": { files } });
after(hub.close);

/** Open, load, search: in a process of its own, whose peak is the system's own count. */
const program = `
  import { open } from "phasor/open";
  const [base, store, dtype] = process.argv.slice(1);
  const model = await open("openai-community/gpt2", { base, origins: [store] });
  const words = await model.explore({ dtype });
  const ids = words.nearest(1234, { k: 7 }).map(({ id }) => id);
  console.log(JSON.stringify({ ids, peak: process.resourceUsage().maxRSS / 1024 }));
`;

test("GPT-2's whole table is loaded as int8 and searched within 256 MiB, Node's own included", async (t) => {
  /** @type {Record<string, number>} */
  const peaks = {};
  for (const dtype of ["int8", "float32"]) {
    const given = ["--input-type=module", "-e", program, hub.url, hub.store, dtype];
    const { stdout } = await promisify(execFile)(process.execPath, given);
    const { ids, peak } = JSON.parse(stdout);
    assert.deepEqual(
      ids,
      gpt2.neighbours(1234).map(({ id }) => id),
    );
    peaks[dtype] = peak;
    t.diagnostic(`${dtype}: ${peak.toFixed(0)} MiB`);
  }
  assert.ok(peaks.int8 <= 256, `${peaks.int8} MiB`);
});
