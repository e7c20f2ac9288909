import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { safetensors } from "phasor/files";
import { consumer } from "../../hosts/consumer.js";
import { listen, rangeOf } from "../../unit/files/server.js";
import { filesOf, promised } from "./guide.js";

const TOKEN = "hf_secret";
const model = safetensors.write({ "wte.weight": [[1, 2], [3, 4], [5, 6]] }); // prettier-ignore

/** A mirror of the hub with one gated model; other requests than those with the token are refused. */
const mirror = () =>
  listen((request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401, { "X-Error-Code": "GatedRepo" }).end();
    } else if (request.url?.startsWith("/api/")) {
      const siblings = [{ rfilename: "model.safetensors" }];
      response.end(JSON.stringify({ id: "owner/gated", sha: "a".repeat(40), siblings }));
    } else {
      const range = rangeOf(request, model.length) ?? { begin: 0, end: model.length };
      const { begin, end } = range;
      response.writeHead(206, {
        "Content-Range": `bytes ${begin}-${end - 1}/${model.length}`,
        ETag: '"1"',
      });
      response.end(model.subarray(begin, end));
    }
  });

test("guide node: its programs print the output that it shows", async (t) => {
  const { folder, put } = await consumer(t);
  const hub = await mirror();
  t.after(() => hub.close());
  const run = async (/** @type {string} */ name, /** @type {string} */ token) => {
    const env = { ...process.env, HF_TOKEN: token, HF_ENDPOINT: hub.origin };
    return await promisify(execFile)(process.execPath, [name], { cwd: folder, env });
  };
  for (const [name, code] of await filesOf("node")) {
    if (name === "terminal") continue;
    await put(name, code);
    const { stdout } = await run(name, TOKEN);
    assert.deepEqual(stdout.trim().split("\n"), promised(code), name);
  }
  await assert.rejects(
    run("gated.mjs", "wrong"),
    /401 \(not there, private, or gated; GatedRepo\)/,
  );
});
