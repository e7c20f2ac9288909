import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { RemoteError, hub, safetensors } from "./entry.js";
import { serveHub } from "./hub.js";
import { planted } from "./planted.js";

const MIB = 2 ** 20;
const gpt2 = planted();
const tokenizer = JSON.stringify({ vocab: Array.from({ length: 5000 }, (_, i) => `word ${i}`) });

/** @type {Awaited<ReturnType<typeof serveHub>>} */
let server;

before(async () => {
  server = await serveHub({
    "openai-community/gpt2": {
      was: "gpt2",
      files: {
        "config.json": JSON.stringify(gpt2.config),
        "model.safetensors": gpt2,
        "onnx/größe #1?.json": "{}",
        "tokenizer.json": tokenizer,
      },
    },
  });
});

beforeEach(() => {
  server.asked.length = 0;
});

after(async () => {
  const { open } = server;
  await server.close();
  assert.equal(open(), 0, "no answer is left hanging");
});

/** @param {string} [name] @param {import("../../../src/files/remote/hub.js").HubOptions & import("../../../src/files/remote/settings.js").RemoteOptions} [options] */
const look = (name = "openai-community/gpt2", options = {}) =>
  hub(name, { base: server.url, origins: [server.store], timeout: 20_000, ...options });

/** @param {string} code @param {number} [status] */
const error = (code, status) => (/** @type {unknown} */ thrown) => {
  assert.ok(thrown instanceof RemoteError, String(thrown));
  assert.deepEqual([thrown.code, thrown.status], [`REMOTE_${code}`, status], thrown.message);
  return true;
};

describe("hub", () => {
  test("hub looks up a model with one request: its commit and its files", async () => {
    const model = await look();
    assert.equal(model.name, "openai-community/gpt2");
    assert.match(model.revision, /^[0-9a-f]{40}$/);
    assert.deepEqual(model.files.slice(0, 2), ["config.json", "model.safetensors"]);
    assert.equal(model.requests, 1);
    const paths = server.asked.map(({ path }) => path);
    assert.deepEqual(paths, ["/api/models/openai-community/gpt2/revision/main"]);
    assert.ok(Object.isFrozen(model.files) && Object.isFrozen(model));
  });

  test("hub accepts a commit, and the former names of the hub's oldest models", async () => {
    const { revision } = await look();
    assert.equal((await look(undefined, { revision })).revision, revision);
    const model = await look("gpt2");
    assert.deepEqual([model.name, model.revision], ["openai-community/gpt2", revision]);
    assert.deepEqual(JSON.parse(await model.text("config.json")), gpt2.config);
  });

  test("text reads a small file as a whole, with compressed transfer", async () => {
    const model = await look();
    assert.equal(await model.text("tokenizer.json"), tokenizer);
    assert.equal(await model.text("onnx/größe #1?.json"), "{}");
    assert.equal(model.requests, 3);
    await assert.rejects(model.text("tokenizer.json", { maxBytes: 1000 }), error("LONG"));
    await assert.rejects(model.text("tokenizer.json", { signal: AbortSignal.abort() }), {
      name: "AbortError",
    });
  });

  test("open reads files of the hub and of its store by ranges, at the commit of the lookup", async () => {
    const model = await look();
    const config = await model.open("config.json");
    const buffer = await config.slice().arrayBuffer();
    assert.deepEqual(JSON.parse(new TextDecoder().decode(buffer)), gpt2.config);
    const weights = await model.open("model.safetensors");
    assert.deepEqual([weights.size, weights.etag], [gpt2.size, gpt2.etag]);
    assert.equal(new URL(weights.url).origin, server.store);
    const got = new Uint8Array(await weights.slice(1_000_000, 1_000_100).arrayBuffer());
    assert.deepEqual(got, gpt2.bytes(1_000_000, 1_000_100));
    assert.equal(model.requests, 1 + config.requests + weights.requests);
    assert.equal(model.requests, 4);
    for (const { of, path } of server.asked) {
      assert.ok(of === "store" || path.includes("/api/") || path.includes(model.revision), path);
    }
  });

  test("a store that is not on the list is never read", async () => {
    const model = await look(undefined, { origins: [] });
    await assert.rejects(model.open("model.safetensors"), error("ORIGIN"));
    assert.ok(await model.text("config.json"));
  });

  test("missing models, revisions and files are rejected", async () => {
    await assert.rejects(look("nobody/nothing"), /got 401 \(.*; RepoNotFound\)$/);
    await assert.rejects(look("nobody/nothing"), error("STATUS", 401));
    await assert.rejects(look(undefined, { revision: "v2" }), error("STATUS", 404));
    const model = await look();
    const asked = model.requests;
    for (const path of ["pytorch_model.bin", "../config.json", "", "__proto__"]) {
      await assert.rejects(model.open(path), RangeError);
      await assert.rejects(model.text(path), RangeError);
    }
    assert.equal(model.requests, asked);
  });

  test("invalid names and revisions are rejected without a request", async () => {
    for (const name of [
      ...["", "/", "a/", "/a", "a/b/c", "../a", "a/..", "a..b", "a--b", ".a", "a.", "a b", "a%2Fb"],
      ...["a?b", "a#b", "a\\b", "ä/b", "x".repeat(97), 7, null, undefined],
    ]) {
      await assert.rejects(hub(/** @type {any} */ (name), { base: server.url }), RangeError);
    }
    for (const revision of ["", "..", "../x", ".", "a..b", "a b", "a?b", "x".repeat(256), 7]) {
      await assert.rejects(look(undefined, /** @type {any} */ ({ revision })), RangeError);
    }
    await assert.rejects(look(undefined, { base: "http://example.org" }), RangeError);
    await assert.rejects(look(undefined, /** @type {any} */ ({ token: "x" })), TypeError);
    assert.equal(server.asked.length, 0);
  });

  test("a revision with slashes is one segment of the address; a mirror may have a path", async () => {
    /** @type {string[]} */
    const asked = [];
    /** @type {any} */
    const fetch = async (/** @type {string} */ url) => {
      asked.push(url);
      return new Response(null, { status: 404 });
    };
    const options = { fetch, revision: "refs/pr/1", base: "https://mirror.example/hf/?x#y" };
    await assert.rejects(hub("a/b", options), error("STATUS", 404));
    assert.deepEqual(asked, ["https://mirror.example/hf/api/models/a/b/revision/refs%2Fpr%2F1"]);
  });
});

describe("hub reads the listing strictly", () => {
  const right = { id: "a/b", sha: "0".repeat(40), siblings: [{ rfilename: "x" }] };
  /** @param {number} length */
  const numbered = (length) => Array.from({ length }, (_, i) => ({ rfilename: `${i}` }));
  /** @param {string | Uint8Array<ArrayBuffer>} body */
  const answered = (body) => hub("a/b", { fetch: async () => new Response(body) });

  test("valid entries are accepted, whatever other fields there are", async () => {
    const said = { ...right, likes: 7, siblings: [{ rfilename: "x/y.json", size: 7 }] };
    assert.deepEqual((await answered(JSON.stringify(said))).files, ["x/y.json"]);
    assert.deepEqual((await answered(JSON.stringify({ ...right, siblings: [] }))).files, []);
    assert.deepEqual((await answered(`${JSON.stringify(right)} \n`)).files, ["x"]);
    const long = { ...right, siblings: [{ rfilename: "x".repeat(1024) }] };
    assert.equal((await answered(JSON.stringify(long))).files[0].length, 1024);
    const most = JSON.stringify({ ...right, siblings: numbered(100_000) });
    assert.equal((await answered(most)).files.length, 100_000);
  });

  test("a text has at most maxBytes, which may be 2 GiB", async () => {
    const answers = [JSON.stringify(right), "abc", "abc"];
    const found = await hub("a/b", { fetch: async () => new Response(answers.shift()) });
    assert.equal(await found.text("x", { maxBytes: 2 ** 31 }), "abc");
    await assert.rejects(found.text("x", { maxBytes: 2 }), { code: "REMOTE_LONG" });
    for (const maxBytes of [2 ** 31 + 1, -1]) {
      await assert.rejects(found.text("x", { maxBytes }), RangeError);
    }
    const one = await hub("a/b", { fetch: async () => new Response(JSON.stringify(right)) });
    await assert.rejects(one.text("x", { maxBytes: 0 }), { code: "REMOTE_LONG" });
  });

  for (const [what, changes] of Object.entries({
    "no id": { id: undefined },
    "an id that climbs": { id: "../b" },
    "no commit": { sha: undefined },
    "a branch for a commit": { sha: "main" },
    "no list": { siblings: { 0: "x" } },
    "too long a list": { siblings: numbered(100_001) },
    "no path": { siblings: [{ path: "x" }] },
    "null for a file": { siblings: [null] },
    "a number for a path": { siblings: [{ rfilename: 7 }] },
    "a path of 1,025 characters": { siblings: [{ rfilename: "x".repeat(1025) }] },
    "a path that climbs": { siblings: [{ rfilename: "a/../../b" }] },
    "an absolute path": { siblings: [{ rfilename: "/a" }] },
    "a path with a backslash": { siblings: [{ rfilename: "a\\b" }] },
    "a path with a line break": { siblings: [{ rfilename: "a\nb" }] },
    "half a character": { siblings: [{ rfilename: "a\ud800" }] },
    "a path twice": { siblings: [{ rfilename: "x" }, { rfilename: "x" }] },
  })) {
    test(`rejects ${what}`, () =>
      assert.rejects(answered(JSON.stringify({ ...right, ...changes })), error("ANSWER")));
  }

  const commit = "0a".repeat(20);
  /** @param {object} said @param {string} name @param {string} [revision] */
  const pinned = (said, name, revision = commit) => {
    const fetch = async () => Response.json({ ...right, sha: commit, ...said });
    return hub(name, { fetch, revision });
  };

  test("rejects a commit that does not match the given digits", async () => {
    assert.equal((await pinned({}, "a/b")).revision, commit);
    await assert.rejects(pinned({ sha: "0b".repeat(20) }, "a/b"), error("ANSWER"));
    assert.equal((await pinned({ sha: "0b".repeat(20) }, "a/b", "main")).name, "a/b");
  });

  test("rejects a model other than the one of a given commit", async () => {
    await assert.rejects(pinned({ id: "evil/b" }, "a/b"), error("ANSWER"));
    await assert.rejects(pinned({ id: "evil/x" }, "b"), error("ANSWER"));
    await assert.rejects(pinned({ id: "a/xb" }, "b"), error("ANSWER"));
    assert.equal((await pinned({}, "b")).name, "a/b", "the oldest have got an owner");
    assert.equal((await pinned({}, "A/b")).name, "a/b", "the hub tells no case apart");
    assert.equal((await pinned({ id: "new/b" }, "a/b", "main")).name, "new/b", "renamed");
  });

  test("says that a model has another name or owner, unless a commit is given", async () => {
    for (const [asked, id] of [
      ["a/b", "new/b"],
      ["a/b", "a/new"],
      ["b", "new/c"],
      ["b", "new/ab"],
    ]) {
      for (const revision of ["main", "v1.0"]) {
        const { warnings } = await pinned({ id }, asked, revision);
        assert.equal(warnings.length, 1);
        assert.ok(
          warnings[0].startsWith(`the hub must answer with the model ${asked}; got ${id}, `),
        );
      }
      await assert.rejects(pinned({ id }, asked), error("ANSWER"));
    }
    for (const [asked, id] of [
      ["a/b", "a/b"],
      ["A/b", "a/B"],
      ["b", "a/b"],
    ]) {
      assert.deepEqual((await pinned({ id }, asked, "main")).warnings, []);
      assert.deepEqual((await pinned({ id }, asked)).warnings, []);
    }
  });

  test("rejects a file of another commit than the listing", async () => {
    for (const [named, isRight] of /** @type {const} */ ([
      [commit, true],
      ["0b".repeat(20), false],
      [undefined, true],
    ])) {
      const headers = named === undefined ? undefined : { "X-Repo-Commit": named };
      /** @type {any} */
      const fetch = async (/** @type {string} */ url) =>
        url.includes("/api/")
          ? Response.json({ ...right, sha: commit })
          : new Response("abc", { headers });
      const model = await hub("a/b", { fetch });
      for (const read of [() => model.text("x"), () => model.open("x")]) {
        if (isRight) await read();
        else await assert.rejects(read(), error("ANSWER"));
      }
    }
  });

  test("rejects text that is not JSON, not an object, not UTF-8, or too long", async () => {
    for (const body of ["<html>", "null", "7", "[]", ""]) {
      await assert.rejects(answered(body), error("ANSWER"));
    }
    await assert.rejects(answered(Uint8Array.of(0x22, 0xff, 0x22)), error("ANSWER"));
    await assert.rejects(answered(new Uint8Array(16 * MIB + 1)), error("LONG"));
  });
});

describe("the tokens of a sentence from a model of GPT-2's size", () => {
  const ids = [7575, 17_607, 13]; // GPT-2's of "Time flies."; each run of rows is a request

  test("need at most 4 requests and less than 100 KB", async () => {
    const model = await look();
    const source = await model.open("model.safetensors");
    const file = await safetensors.read(source);
    assert.deepEqual(file.info("wte.weight").shape, [50_257, 768]);
    const rows = await file.rows("wte.weight", ids);
    assert.deepEqual(rows.shape, [3, 768]);
    for (const [i, id] of ids.entries()) {
      assert.deepEqual(rows.data.slice(768 * i, 768 * (i + 1)), gpt2.row(id));
    }
    assert.ok(source.requests <= 4, `${source.requests} requests`);
    assert.ok(source.bytesRead < 100_000, `${source.bytesRead} bytes`);
    assert.equal(file.info("wte.weight").byteLength, 154_389_504); // 147 MiB
  });

  test("need no requests when they are read again", async () => {
    const source = await (await look()).open("model.safetensors");
    const file = await safetensors.read(source);
    await file.rows("wte.weight", ids);
    const { requests } = source;
    await file.rows("wte.weight", [13, 7575, 7575]);
    assert.equal(source.requests, requests);
  });
});

describe("the planted model follows its rule", () => {
  const V = 50_257;

  test("its bytes are the same in any partition", () => {
    const header = gpt2.size - 4 * 768 * (V + 1024);
    const [begin, end] = [0, 40_000];
    const whole = gpt2.bytes(begin, end);
    for (let at = begin; at < end; at += 777) {
      const to = Math.min(at + 777, end);
      assert.deepEqual(gpt2.bytes(at, to), whole.slice(at, to));
    }
    const row = new Float32Array(whole.slice(header, header + 4 * 768).buffer);
    assert.deepEqual(row, gpt2.row(0));
    const last = new Float32Array(gpt2.bytes(gpt2.size - 4 * 768, gpt2.size).buffer);
    assert.deepEqual(last, gpt2.position(1023));
  });

  test("a token's nearest are its group, in the documented order; others stay below 0.45", () => {
    const dot = (/** @type {Float32Array} */ a, /** @type {Float32Array} */ b) =>
      a.reduce((sum, x, i) => sum + x * b[i], 0);
    const cosine = (/** @type {Float32Array} */ a, /** @type {Float32Array} */ b) =>
      dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    for (const id of [0, 8 * 700 + 7, 40_000, 40_001, 50_001]) {
      const own = gpt2.row(id);
      const near = gpt2.neighbors(id);
      assert.equal(near.length, 7);
      for (const [i, { id: other, cosine: said }] of near.entries()) {
        assert.ok(Math.abs(cosine(own, gpt2.row(other)) - said) < 1e-6, `${id} ${other}`);
        assert.ok(said > 0.75 && (i === 0 || said <= near[i - 1].cosine));
      }
      for (let other = 5; other < V; other += 101) {
        if (Math.floor(other / 8) === Math.floor(id / 8)) continue;
        assert.ok(cosine(own, gpt2.row(other)) < 0.45, `${id} ${other}`);
      }
    }
  });

  test("analogies are exact, a duplicate is identical, the untrained rows are short", () => {
    const [a, b, i, j] = [123, 4567, 2, 6];
    const [minuend, subtrahend, addend] = [8 * a + i, 8 * a + j, 8 * b + j].map(gpt2.row);
    const found = minuend.map((x, d) => x - subtrahend[d] + addend[d]);
    assert.deepEqual(found, gpt2.row(8 * b + i));
    assert.deepEqual(gpt2.row(gpt2.duplicate.id), gpt2.row(gpt2.duplicate.of));
    const norm = (/** @type {number} */ id) => Math.hypot(...gpt2.row(id));
    for (const id of gpt2.untrained) assert.ok(norm(id) < 0.06);
    for (const id of [0, 7, 49_999, 50_004, 50_256]) {
      assert.ok(norm(id) > 3.44 && norm(id) < 4, `${norm(id)}`);
    }
  });
});
