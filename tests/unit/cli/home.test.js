// The command line on the machine of a model engineer: tokens, the hub's address and cache, standard input.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { npz, safetensors } from "phasor/files";
import { phasor as core } from "../../phasor.js";
import { formatOf } from "../../../src/cli/input.js";
import { folderOf, llama, phasorIn, scaled, tiny } from "./phasor.js";

const SECRET = "hf_AbCdEfGhIjKlMnOp";
const config = JSON.stringify(llama);
const cache = ".huggingface/hub";
const gpt2 = {
  "model.safetensors": safetensors.write({
    "wte.weight": [[1, 0], [2, 0], [0, 3]], // prettier-ignore
    "wpe.weight": [[0, 0]],
  }),
  "vocab.json": `{"!": 0, "\u0120cat": 1, "\u0120dog": 2}`,
  "merges.txt": "#version: 0.2\n\u0120 c\n",
};

const { folder, phasor, json } = await folderOf(
  { after },
  {
    [`${cache}/models--o--kept/refs/main`]: "0123abc",
    [`${cache}/models--o--kept/snapshots/0123abc/config.json`]: config,
    [`${cache}/models--o--kept/snapshots/0123abc/model.safetensors`]: tiny["model.safetensors"],
    [`${cache}/models--o--kept/snapshots/0123abc/vocab.txt`]: tiny["vocab.txt"],
    [`${cache}/models--o--part/refs/main`]: "4567def",
    [`${cache}/models--o--part/snapshots/4567def/config.json`]: config,
    [`${cache}/models--o--shards/refs/main`]: "89ab",
    [`${cache}/models--o--shards/snapshots/89ab/model.safetensors.index.json`]: JSON.stringify({
      weight_map: { a: "model-1.safetensors", b: "model-2.safetensors" },
    }),
    [`${cache}/models--o--shards/snapshots/89ab/model-1.safetensors`]: tiny["model.safetensors"],
    [`${cache}/models--o--broken/refs/main`]: "cdef",
    [`${cache}/models--o--broken/snapshots/cdef/model.safetensors.index.json`]: "{",
    [`${cache}/models--o--strange/refs/main`]: "../../../../o",
    "config.json": config,
    "port.npz": await npz.write(core.rope.table(8, 128, scaled)),
    "gpt2/model.safetensors": gpt2["model.safetensors"],
    "gpt2/vocab.json": gpt2["vocab.json"],
    "gpt2/merges.txt": gpt2["merges.txt"],
    "mixed/model.safetensors": safetensors.write({ "model.embed_tokens.weight": [[1, 2], [3, 4]] }), // prettier-ignore
    "mixed/config.json": JSON.stringify({
      ...{ model_type: "bert", hidden_size: 2, vocab_size: 2, num_hidden_layers: 1 },
      ...{ num_attention_heads: 1, max_position_embeddings: 4 },
    }),
  },
);

/** What a hub and the host that it redirects to are asked. @type {{host: string, path: string, authorization: string | undefined}[]} */
const asked = [];
/** @type {import("node:http").Server[]} */
let servers = [];
/** @type {string[]} */
let origins = [];

before(async () => {
  const sha = "a".repeat(40);
  servers = ["hub", "store"].map((host) =>
    createServer((request, response) => {
      const { authorization } = request.headers;
      const path = String(request.url);
      asked.push({ host, path, authorization });
      if (path.startsWith("/silent")) return; // never answers
      const isKnown = host === "store" || authorization === `Bearer ${SECRET}`;
      if (!isKnown) response.writeHead(401, { "X-Error-Code": "GatedRepo" }).end();
      else if (host === "store") response.end(config);
      else if (path.startsWith("/api/")) {
        response.end(
          JSON.stringify({ id: "o/gated", sha, siblings: [{ rfilename: "config.json" }] }),
        );
      } else response.writeHead(302, { Location: `${origins[1]}/config.json` }).end();
    }),
  );
  await Promise.all(
    servers.map((server) => new Promise((done) => server.listen(0, () => done(0)))),
  );
  origins = servers.map(
    (server) =>
      `http://localhost:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`,
  );
});

after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** @param {string[]} args @param {Record<string, string>} [env] @param {string | Uint8Array} [input] */
const at = (args, env, input) => phasorIn(folder, args, env, input);

test("a token of --token, HF_TOKEN or a file goes to the hub alone, and into no message", async () => {
  const [hub, store] = origins;
  const others = { HF_ENDPOINT: hub };
  /** @type {{args: string[], env: Record<string, string>}[]} */
  const ways = [
    { args: ["--token", SECRET], env: others },
    { args: [], env: { ...others, HF_TOKEN: ` ${SECRET}\n` } },
    { args: ["--base", hub], env: { HF_TOKEN: SECRET } },
    { args: [], env: { ...others, HF_TOKEN_PATH: join(folder, "token") } },
  ];
  const { writeFile } = await import("node:fs/promises");
  await writeFile(join(folder, "token"), `${SECRET}\n`);
  for (const { args, env } of ways) {
    asked.length = 0;
    const found = await at(["rope", "o/gated", "--origin", store, ...args], env);
    assert.equal(found.code, 0, found.stderr);
    assert.match(found.stdout, /^llama, 131,072 positions/);
    assert.deepEqual(asked.map(({ host, authorization }) => [host, authorization]), [
      ["hub", `Bearer ${SECRET}`],
      ["hub", `Bearer ${SECRET}`],
      ["store", undefined],
    ]); // prettier-ignore
  }
  const without = await at(["rope", "o/gated"], others);
  assert.match(without.stderr, /got 401 \(not there, private, or gated; GatedRepo\)/);
  const implicit = { ...others, HF_TOKEN: SECRET, HF_HUB_DISABLE_IMPLICIT_TOKEN: "1" };
  assert.equal((await at(["rope", "o/gated"], implicit)).code, 1);
});

test("a token of the environment does not go to another address, and a bad one is not shown", async () => {
  asked.length = 0;
  const [, store] = origins;
  await at(["explore", `${store}/model.safetensors`], { HF_TOKEN: SECRET });
  assert.ok(asked.length > 0 && asked.every(({ authorization }) => authorization === undefined));
  const bad = await at(["rope", "o/gated"], { HF_TOKEN: "hf_one two", PHASOR_DEBUG: "1" });
  assert.match(bad.stderr, /HF_TOKEN must be one word of ASCII letters; got 10 characters/);
  assert.doesNotMatch(bad.stderr + bad.stdout, /hf_one/);
  const address = await at(["rope", "o/gated"], { HF_ENDPOINT: "ftp://hub" });
  assert.match(address.stderr, /HF_ENDPOINT must be an address that begins with https:\/\/, or /);
});

test("a hub that does not answer ends after --timeout, in a sentence", async () => {
  const { code, stderr } = await at([
    "rope",
    "o/gated",
    "--timeout",
    "1",
    "--base",
    `${origins[0]}/silent`,
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /must send a byte within 1 s; got none\n$/);
});

test("a model in the hub's cache is read without the network, by its name or its folder", async () => {
  const offline = { HF_HUB_OFFLINE: "1" };
  const { code, stdout, stderr } = await at(["rope", "o/kept"], offline);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^llama, 131,072 positions/);
  const explored = await at(["explore", "o/kept"], offline);
  assert.match(explored.stdout, /^o\/kept at 0123abc\n {2}model\.safetensors, /);
  assert.equal((await at(["explore", "o/kept", "--revision", "0123abc"], offline)).code, 0);
  assert.equal((await at(["rope", `${cache}/models--o--kept`])).code, 0);
  assert.equal((await at(["rope", "o/kept"], { HF_HUB_CACHE: join(folder, cache), HF_HOME: "/none", ...offline })).code, 0); // prettier-ignore
  assert.equal((await at(["rope", "o/part"], offline)).code, 0);
  for (const [name, got] of Object.entries({
    ...{ part: "a part", shards: "a part", broken: "a part", strange: "none" },
  })) {
    const missing = await at(["explore", `o/${name}`], offline);
    assert.match(
      missing.stderr,
      new RegExp(`the hub's cache .* must have "o/${name}"; got ${got}`),
    );
  }
  const other = await at(["rope", "o/kept", "--revision", "dev"], offline);
  assert.match(other.stderr, /must have "o\/kept"; got none/);
});

test("the length of a header of safetensors is not taken for JSON", () => {
  const header = Uint8Array.of(0x20, 0x7b, 0, 0, 0, 0, 0, 0, 0x7b); // of 31,520 bytes: a space and a brace
  assert.equal(formatOf(header), "safetensors");
  assert.equal(formatOf(new TextEncoder().encode(' {"model_type": 1}')), "json");
});

test("a dash is standard input, wherever a file is read", async () => {
  const byName = await phasor("rope", "config.json");
  assert.deepEqual(await at(["rope", "-"], {}, config), byName);
  assert.deepEqual(await at(["rope", "/dev/stdin"], {}, config), byName);
  const { readFile } = await import("node:fs/promises");
  const port = await readFile(join(folder, "port.npz"));
  const checked = await at(["check", "-", "--model", "config.json"], {}, port);
  assert.equal(checked.code, 0, checked.stderr);
  const table = safetensors.write(core.rope.table(8, 128, scaled));
  const named = await at(["identify", "-"], {}, table);
  assert.match(named.stdout, /^-: cos and sin, 8 x 64\nRoPE, 64 pairs/);
  const model = await at(["explore", "-"], {}, tiny["model.safetensors"]);
  assert.match(model.stdout, /^stdin\.safetensors\n/);
  const [one, other] = [core.rope.table(8, 128, scaled).cos, core.rope.table(8, 128).cos];
  const wrong = safetensors.write({ cos: one, sin: other });
  const again = await at(["check", "-", "--model", "config.json"], {}, wrong); // is read in two ways
  assert.match(again.stdout, /^-: cos and sin, 8 x 64, /, again.stderr);
  const twice = await at(["check", "-", "--model", "-"], {}, config);
  assert.match(twice.stderr, /must be another file; got "-", which (CONFIG|PORT) is/);
  const empty = await at(["rope", "-"]);
  assert.match(empty.stderr, /^phasor rope: - must be a configuration; got an empty file\n$/);
});

test("vocab.json beside merges.txt is a vocabulary", async () => {
  const { data } = await json("nearest", "gpt2", " cat");
  assert.match(JSON.stringify(data), /"! *"|" dog"/);
  const { stdout } = await phasor("rows", "gpt2", " dog");
  assert.match(stdout, /2 " dog"/);
});

test("a table of learned positions that a configuration has and a file has not is a warning", async () => {
  const { stdout } = await phasor("explore", "mixed");
  assert.match(stdout, /warning: the file must have a table of 4 rows of learned positions as the configuration says; got none/); // prettier-ignore
});
