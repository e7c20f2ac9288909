import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { until } from "../../until.js";
import { RemoteError, remote, safetensors } from "./entry.js";
import { content, etag, serveFaults } from "./faults.js";
import { listen } from "./server.js";

/** @import { RemoteOptions } from "../../../src/files/remote/settings.js" */

/** @type {Awaited<ReturnType<typeof serveFaults>>} */
let server;

before(async () => {
  server = await serveFaults();
});

after(() => server?.close());

afterEach(async () => {
  await until(() => server.open() === 0, "no answer is left hanging", 5000);
  server.forget();
});

/** @param {string} fault @param {RemoteOptions} [options] */
const open = (fault, options) => remote(server.url(fault), { timeout: 5000, ...options });

/** @param {Awaited<ReturnType<typeof open>>} file @param {number} begin @param {number} end @param {import("../../../src/files/bytes.js").Reading} [reading] */
async function read(file, begin, end, reading) {
  return new Uint8Array(await file.slice(begin, end).arrayBuffer(reading));
}

/** The same, as it comes. @type {typeof read} */
async function stream(file, begin, end, reading) {
  const got = new Uint8Array(end - begin);
  let at = 0;
  const use = (/** @type {Uint8Array} */ chunk, /** @type {number} */ from) => {
    assert.equal(from, at, "in its order");
    got.set(chunk, from);
    at += chunk.length;
  };
  await file.slice(begin, end).each(use, reading);
  assert.equal(at, end - begin);
  return got;
}

/** @param {Uint8Array} got @param {number} begin @param {number} end */
const sameBytes = (got, begin, end) =>
  assert.ok(Buffer.from(got).equals(content.subarray(begin, end)), `bytes ${begin} to ${end}`);

/**
 * For assert.rejects: a RemoteError with this code and a sentence by the rules.
 * @param {string} code @param {number} [status]
 */
function error(code, status) {
  return (/** @type {unknown} */ thrown) => {
    assert.ok(thrown instanceof RemoteError, String(thrown));
    assert.equal(thrown.code, `REMOTE_${code}`, thrown.message);
    assert.equal(thrown.status, status);
    assert.match(thrown.message, /^http:\S+ must .+; got .+$/);
    assert.ok(thrown.message.length < 400, thrown.message);
    assert.ok(!thrown.message.includes("Signature"), thrown.message);
    return true;
  };
}

describe("remote", () => {
  test("remote opens a file with one request, for its size, its ETag and its first bytes", async () => {
    const file = await open("none");
    assert.deepEqual([file.size, file.etag, file.url], [200_000, etag, server.url("none")]);
    sameBytes(await read(file, 0, 65_536), 0, 65_536);
    sameBytes(await read(file, 8, 500), 8, 500);
    assert.equal(server.requests("none"), 1);
    assert.deepEqual([file.requests, file.bytesRead], [1, 65_536]);
  });

  test("remote reads any range with one request, with the semantics of Blob.slice", async () => {
    const file = await open("none", { cache: false });
    const blob = new Blob([content]);
    for (const [begin, end] of [
      [70_000, 70_003],
      [65_535, 65_537],
      [0, 200_000],
      [-7, undefined],
      [199_999, 300_000],
      [-90_000, -80_000],
    ]) {
      const before = file.requests;
      const slice = file.slice(begin, end);
      const expected = await blob.slice(begin, end).arrayBuffer();
      assert.equal(slice.size, expected.byteLength);
      assert.deepEqual(await slice.arrayBuffer(), expected);
      assert.equal(file.requests, before + 1);
    }
    assert.equal(server.requests("none"), file.requests);
  });

  test("remote sends no request for zero bytes", async () => {
    const file = await open("none", { cache: false });
    for (const [begin, end] of [
      [100_000, 100_000],
      [100_000, 5],
      [300_000, 400_000],
    ]) {
      assert.equal((await read(file, begin, end)).length, 0);
    }
    assert.equal(file.requests, 1);
  });

  test("remote returns a copy of the bytes to each reader", async () => {
    const file = await open("none");
    for (const [begin, end] of [
      [0, 10],
      [100_000, 100_010],
    ]) {
      const reads = [read(file, begin, end), read(file, begin, end), read(file, begin, end)];
      for (const bytes of await Promise.all(reads)) {
        sameBytes(bytes, begin, end);
        bytes.fill(0);
      }
      sameBytes(await read(file, begin, end), begin, end);
    }
    assert.equal(file.requests, 2);
  });

  test("remote reports the progress of a read, in bytes", async () => {
    const file = await open("drips", { timeout: 2000 });
    /** @type {number[]} */
    const calls = [];
    const progress = (/** @type {number} */ done, /** @type {number} */ total) => {
      assert.equal(total, 80_000);
      calls.push(done);
    };
    sameBytes(await read(file, 100_000, 180_000, { progress }), 100_000, 180_000);
    assert.ok(calls.length >= 4, `calls ${calls}`);
    assert.deepEqual(
      calls,
      [...calls].sort((a, b) => a - b),
    );
    assert.equal(calls.at(-1), 80_000);
    calls.length = 0;
    await read(file, 100_000, 180_000, { progress });
    assert.deepEqual(calls, [80_000], "from what is kept");
  });

  test("remote aborts if a progress callback throws", async () => {
    const file = await open("drips");
    const progress = () => {
      throw new Error("enough");
    };
    await assert.rejects(read(file, 100_000, 180_000, { progress }), new Error("enough"));
  });
});

describe("remote caches what it has read", () => {
  test("a range and its subranges are read once", async () => {
    const file = await open("none");
    await read(file, 100_000, 110_000);
    sameBytes(await read(file, 100_000, 110_000), 100_000, 110_000);
    sameBytes(await read(file, 104_000, 104_100), 104_000, 104_100);
    assert.equal(file.requests, 2);
    sameBytes(await read(file, 109_999, 110_001), 109_999, 110_001);
    assert.equal(file.requests, 3);
  });

  test("the most recently used pieces are kept, up to a number of bytes", async () => {
    const file = await open("none", { cache: { memory: 8000 } });
    const piece = (/** @type {number} */ i) => read(file, 70_000 + 2000 * i, 72_000 + 2000 * i);
    for (const i of [0, 1, 2, 3]) await piece(i);
    await piece(0); // used again, so that piece 1 is the oldest
    await piece(4);
    assert.equal(file.requests, 6);
    for (const i of [0, 2, 3, 4]) await piece(i);
    assert.equal(file.requests, 6);
    await piece(1);
    assert.equal(file.requests, 7);
    await read(file, 100_000, 102_001); // more than a quarter
    await read(file, 100_000, 102_001);
    assert.equal(file.requests, 9);
  });

  test("without a cache only the first bytes are kept", async () => {
    const file = await open("none", { cache: false });
    await read(file, 0, 100);
    assert.equal(file.requests, 1);
    await read(file, 100_000, 100_100);
    await read(file, 100_000, 100_100);
    assert.equal(file.requests, 3);
  });

  test("parallel reads of one range share a request, others do not", async () => {
    const file = await open("drips");
    const reads = [1, 2, 3].map(() => read(file, 100_000, 110_000));
    const other = read(file, 120_000, 120_100);
    for (const bytes of await Promise.all(reads)) sameBytes(bytes, 100_000, 110_000);
    sameBytes(await other, 120_000, 120_100);
    assert.equal(server.requests("drips"), 3);
    assert.equal(file.requests, 3);
  });

  test("a shared read continues while any reader waits for it", async () => {
    const file = await open("drips");
    const controller = new AbortController();
    const first = read(file, 100_000, 110_000, { signal: controller.signal });
    const second = read(file, 100_000, 110_000);
    await until(() => server.requests("drips") === 2, "the request is there");
    controller.abort();
    await assert.rejects(first, { name: "AbortError" });
    sameBytes(await second, 100_000, 110_000);
    assert.equal(server.requests("drips"), 2);
  });

  test("a range that was aborted is read again by a new request", async () => {
    const file = await open("drips");
    const controller = new AbortController();
    const first = read(file, 100_000, 110_000, { signal: controller.signal });
    await until(() => server.requests("drips") === 2, "the request is there");
    controller.abort();
    const second = read(file, 100_000, 110_000);
    await assert.rejects(first, { name: "AbortError" });
    sameBytes(await second, 100_000, 110_000);
    assert.equal(server.requests("drips"), 3);
  });
});

describe("remote streams a range that is too large for the cache", () => {
  test("with one request, and progress", async () => {
    const file = await open("drips", { cache: false });
    /** @type {number[]} */
    const calls = [];
    const progress = (/** @type {number} */ done, /** @type {number} */ total) => {
      assert.equal(total, 80_000);
      calls.push(done);
    };
    sameBytes(await stream(file, 100_000, 180_000, { progress }), 100_000, 180_000);
    assert.equal(file.requests, 2);
    assert.ok(calls.length >= 4 && calls.at(-1) === 80_000, `calls ${calls}`);
  });

  test("while it arrives", async () => {
    const file = await open("drips", { cache: false });
    let early = 0;
    const use = () => void (server.open() > 0 && ++early); // the answer has not ended
    await file.slice(100_000, 180_000).each(use);
    assert.ok(early > 0);
  });

  test("except for cached pieces, and ranges that fit the cache", async () => {
    const file = await open("none");
    sameBytes(await stream(file, 8, 500), 8, 500);
    assert.equal(file.requests, 1, "the first bytes");
    sameBytes(await stream(file, 100_000, 110_000), 100_000, 110_000);
    sameBytes(await stream(file, 100_000, 110_000), 100_000, 110_000);
    sameBytes(await read(file, 100_000, 110_000), 100_000, 110_000);
    assert.equal(file.requests, 2);
    assert.equal((await stream(file, 100_000, 100_000)).length, 0);
  });

  test("until the consumer stops", async () => {
    const file = await open("drips", { cache: false });
    const use = () => {
      throw new Error("enough");
    };
    await assert.rejects(file.slice(100_000, 180_000).each(use), new Error("enough"));
    sameBytes(await stream(file, 100_000, 110_000), 100_000, 110_000);
  });

  for (const fault of ["stalls-before", "stalls-within"]) {
    test(`until no more bytes arrive: ${fault}`, async () => {
      const file = await open(fault, { timeout: 300, cache: false });
      await assert.rejects(stream(file, 100_000, 110_000), error("STALLED"));
      sameBytes(await stream(file, 100_000, 110_000), 100_000, 110_000);
    });
  }

  for (const fault of ["stalls-before", "stalls-within", "drips"]) {
    test(`until its signal aborts, with the signal's reason: ${fault}`, async () => {
      const file = await open(fault, { cache: false });
      const reason = new Error("the reader left");
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      const reading = stream(file, 100_000, 110_000, { signal: controller.signal });
      await assert.rejects(reading, (thrown) => thrown === reason);
      const { requests } = file;
      const stopped = stream(file, 100_000, 110_000, { signal: controller.signal });
      await assert.rejects(stopped, (thrown) => thrown === reason);
      assert.equal(file.requests, requests);
      sameBytes(await stream(file, 100_000, 110_000), 100_000, 110_000);
    });
  }
});

describe("remote when a whole file arrives instead of a range", () => {
  test("a small one is kept as a whole", async () => {
    const file = await open("whole-small");
    assert.deepEqual([file.size, file.etag], [1000, etag]);
    sameBytes(await read(file, 0, 1000), 0, 1000);
    sameBytes(await read(file, 990, 1000), 990, 1000);
    assert.equal(server.requests("whole-small"), 1);
  });

  test("a large one is rejected, by its stated length or by the bytes received", async () => {
    const maxBytes = 100_000;
    await assert.rejects(open("whole-large", { maxBytes }), error("RANGE"));
    await assert.rejects(open("whole-endless", { maxBytes }), error("RANGE"));
    const file = await open("whole-large", { maxBytes: 200_000 });
    sameBytes(await read(file, 150_000, 200_000), 150_000, 200_000);
  });

  test("a large one with a stated length is rejected before any of it is read", async () => {
    let pulled = 0;
    const pull = () => void ++pulled;
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const fetch = async () => new Response(body, { headers: { "Content-Length": "9" } });
    const opened = remote("https://example.org/x", { fetch, maxBytes: 8 });
    await assert.rejects(opened, { code: "REMOTE_RANGE" });
    assert.equal(pulled, 0);
  });

  test("it is rejected after the file was opened by ranges", async () => {
    const file = await open("whole-later");
    await assert.rejects(read(file, 100_000, 100_010), error("RANGE"));
  });

  test("an empty file is empty, in every form of the server's answer", async () => {
    for (const fault of ["empty", "empty-whole"]) {
      const file = await open(fault);
      assert.equal(file.size, 0);
      assert.equal((await file.slice().arrayBuffer()).byteLength, 0);
      assert.equal(server.requests(fault), 1);
    }
  });
});

describe("remote rejects an invalid response", () => {
  for (const fault of [
    "range-missing",
    "range-nonsense",
    "range-unknown-size",
    "range-huge-size",
  ]) {
    test(`on opening: ${fault}`, () => assert.rejects(open(fault), error("RANGE")));
  }

  for (const [fault, code] of [
    ["range-wrong-begin", "RANGE"],
    ["range-wrong-end", "RANGE"],
    ["range-wrong-total", "CHANGED"],
    ["changed", "CHANGED"],
    ["etag-lost", "CHANGED"],
    ["date-changed", "CHANGED"],
    ["short", "SHORT"],
    ["long", "LONG"],
    ["endless", "LONG"],
    ["reset", "NETWORK"],
  ]) {
    test(`later: ${fault}`, async () => {
      const file = await open(fault);
      await assert.rejects(read(file, 100_000, 110_000), error(code));
      assert.equal(server.requests(fault), 2, "nothing is asked twice");
      sameBytes(await read(file, 0, 65_536), 0, 65_536);
    });

    test(`later, in a stream: ${fault}`, async () => {
      const file = await open(fault, { cache: false });
      await assert.rejects(stream(file, 100_000, 110_000), error(code));
      assert.equal(server.requests(fault), 2, "nothing is asked twice");
    });
  }

  test("a compressed range", async () => {
    await assert.rejects(open("compressed"), error("ENCODING"));
  });

  for (const fault of ["changed", "short", "reset", "403-later"]) {
    test(`and the next read succeeds: ${fault}`, async () => {
      const file = await open(fault);
      await assert.rejects(read(file, 100_000, 110_000), RemoteError);
      sameBytes(await read(file, 100_000, 110_000), 100_000, 110_000);
      assert.equal(file.requests, 3);
    });
  }

  test("but a weak ETag or none is accepted, if it does not change", async () => {
    for (const [fault, expected] of /** @type {const} */ ([
      ["etag-weak", `W/${etag}`],
      ["etag-none", null],
    ])) {
      const file = await open(fault);
      assert.equal(file.etag, expected);
      sameBytes(await read(file, 100_000, 110_000), 100_000, 110_000);
    }
  });
});

describe("remote names a failure by its status", () => {
  for (const status of [401, 403, 404, 416, 429, 500, 503, 204]) {
    test(`${status}`, () => assert.rejects(open(String(status)), error("STATUS", status)));
  }

  test("with the hub's message, and when to retry", async () => {
    await assert.rejects(open("401"), /got 401 \(not there, private, or gated; GatedRepo\)$/);
    await assert.rejects(open("429"), (/** @type {any} */ { message, retryAfter }) => {
      assert.match(message, /got 429 \(too many requests; again in 7 s\)$/);
      assert.equal(retryAfter, 7);
      return true;
    });
  });

  test("later, too: an expired signature", async () => {
    const file = await open("403-later");
    await assert.rejects(read(file, 100_000, 100_010), error("STATUS", 403));
  });
});

describe("remote follows redirections", () => {
  test("to its own origin", async () => {
    const file = await open("redirect-here");
    assert.equal(file.url, server.url("none"));
    sameBytes(await read(file, 100_000, 100_010), 100_000, 100_010);
    assert.equal(server.requests("redirect-here"), 2, "each read asks where the file is now");
  });

  test("to an origin on its list, and to no other", async () => {
    const { elsewhere } = server;
    const file = await open("redirect-elsewhere", { origins: [elsewhere] });
    assert.equal(file.url, `${elsewhere}/none/file?Signature=secret`);
    sameBytes(await read(file, 100_000, 100_010), 100_000, 100_010);
    for (const origins of [[], ["https://example.org"], ["*.0.0.1", "*.example.org"]]) {
      await assert.rejects(open("redirect-elsewhere", { origins }), error("ORIGIN"));
    }
  });

  test("also later, never if it is not on the list", async () => {
    const file = await open("redirect-later");
    await assert.rejects(read(file, 100_000, 100_010), error("ORIGIN"));
  });

  test("with every redirect status, at most 20 times, and releases each response", async () => {
    /** @param {number} status @param {number} count */
    const redirecting = (status, count) => {
      const given = { asked: 0, cancelled: 0 };
      const fetch = async () => {
        if (given.asked++ === count) {
          return new Response("abc", { status: 206, headers: { "Content-Range": "bytes 0-2/3" } });
        }
        const body = new ReadableStream({ cancel: () => void ++given.cancelled });
        return new Response(body, { status, headers: { Location: `/${given.asked}` } });
      };
      return {
        given,
        opened: remote("https://example.org/0", { fetch: /** @type {any} */ (fetch) }),
      };
    };
    for (const status of [301, 302, 303, 307, 308]) {
      const { given, opened } = redirecting(status, 20);
      assert.equal((await opened).size, 3, String(status));
      assert.deepEqual(given, { asked: 21, cancelled: 20 });
    }
    const often = redirecting(302, 21);
    const message = /must redirect at most 20 times; got more$/;
    await assert.rejects(often.opened, { code: "REMOTE_NETWORK", message });
    assert.equal(often.given.asked, 21);
    await assert.rejects(redirecting(300, 1).opened, { code: "REMOTE_STATUS" });
  });

  test("but not in circles", () => assert.rejects(open("redirect-loop"), error("NETWORK")));

  test("but not to http on another machine, even if it is on the list", async () => {
    const origins = [server.origin.replace("127.0.0.1", "0.0.0.0")];
    await assert.rejects(open("redirect-http", { origins }), error("ORIGIN"));
  });

  test("without a request to an origin that is not on its list", async () => {
    const { elsewhere } = server;
    await assert.rejects(open("redirect-elsewhere"), error("ORIGIN"));
    assert.equal(server.requests("none"), 0);
    await open("redirect-elsewhere", { origins: [elsewhere] });
    assert.equal(server.requests("none"), 1);
  });

  test("to another origin without the headers that the caller's fetch adds", async () => {
    /** @type {[string, unknown][]} */
    const seen = [];
    const noted = (
      /** @type {string} */ name,
      /** @type {import("./server.js").Request} */ { headers },
    ) => seen.push([name, headers["x-api-key"]]);
    const store = await listen((request, response) => {
      noted("store", request);
      response.writeHead(206, { "Content-Range": "bytes 0-2/3" }).end("abc");
    });
    const hub = await listen((request, response) => {
      noted("hub", request);
      const location = request.url === "/a" ? "/b" : `${store.origin}/c`;
      response.writeHead(302, { Location: location }).end();
    });
    try {
      /** @type {typeof globalThis.fetch} */
      const fetch = (url, init) =>
        globalThis.fetch(url, { ...init, headers: { ...init?.headers, "X-Api-Key": "secret" } });
      const file = await remote(`${hub.origin}/a`, { fetch, origins: [store.origin] });
      assert.equal(file.url, `${store.origin}/c`);
      const own = ["hub", "secret"];
      assert.deepEqual(seen, [own, own, ["store", undefined]]);
      assert.equal(file.requests, 1, "redirects are not counted");
    } finally {
      await Promise.all([hub.close(), store.close()]);
    }
  });

  test("that a platform hides, as browsers do: the response's origin is checked then", async () => {
    for (const [url, isAllowed] of /** @type {const} */ ([
      ["https://cdn.example.org/x", true],
      ["https://example.com/x", false],
    ])) {
      /** @type {(string | undefined)[]} */
      const asked = [];
      const opaque = new Response(null, { status: 200 });
      Object.defineProperty(opaque, "type", { value: "opaqueredirect" });
      const answer = new Response("abc", {
        status: 206,
        headers: { "Content-Range": "bytes 0-2/3" },
      });
      Object.defineProperty(answer, "url", { value: url });
      /** @type {any} */
      const fetch = async (/** @type {string} */ _, /** @type {RequestInit} */ init) =>
        asked.push(init.redirect) === 1 ? opaque : answer;
      const opened = remote("https://hub.example/file", { fetch, origins: ["*.example.org"] });
      if (isAllowed) assert.equal((await opened).size, 3);
      else await assert.rejects(opened, { code: "REMOTE_ORIGIN" });
      assert.deepEqual(asked, ["manual", undefined]);
    }
  });

  test("to a valid address, and not to an invalid or missing one", async () => {
    const fetch = (/** @type {Record<string, string>} */ headers) => async () =>
      new Response(null, { status: 302, headers });
    const read = (/** @type {Record<string, string>} */ headers) =>
      remote("https://hub.example/file", { fetch: fetch(headers) });
    for (const Location of ["https://", "http://[", "file:///etc/passwd", "data:,x"]) {
      await assert.rejects(read({ Location }), { code: "REMOTE_ORIGIN" });
    }
    await assert.rejects(read({}), { code: "REMOTE_STATUS", status: 302 });
  });

  test("to every subdomain of a suffix", async () => {
    const body = content.slice(0, 100);
    const headers = { "Content-Range": "bytes 0-99/100" };
    /** @param {string} url @param {string[]} origins */
    const sentTo = (url, origins) => {
      const answer = new Response(body, { status: 206, headers });
      Object.defineProperty(answer, "url", { value: url });
      return remote("https://hub.example/file", { fetch: async () => answer, origins });
    };
    for (const host of ["cdn.example.org", "eu.cdn.example.org"]) {
      assert.equal((await sentTo(`https://${host}/x`, ["*.example.org"])).size, 100);
    }
    for (const url of [
      "https://example.org/x",
      "https://badexample.org/x",
      "https://cdn.example.org.evil/x",
      "https://cdn.example.org:444/x",
      "http://cdn.example.org/x",
    ]) {
      await assert.rejects(sentTo(url, ["*.example.org"]), { code: "REMOTE_ORIGIN" }, url);
    }
  });
});

describe("remote rejects bytes that are not the file's:", () => {
  const range = { "Content-Range": "bytes 0-2/3" };
  /** @type {[string, () => any, object | RegExp][]} */
  const cases = [
    [
      "several parts as one",
      () => {
        const headers = { ...range, "Content-Type": "multipart/byteranges; boundary=x" };
        return new Response("abc", { status: 206, headers });
      },
      { code: "REMOTE_RANGE" },
    ],
    [
      "the whole of it compressed, which a request of a range excludes",
      () => new Response("abc", { status: 200, headers: { "Content-Encoding": "gzip" } }),
      { code: "REMOTE_ENCODING" },
    ],
    [
      "chunks that are no bytes",
      () => {
        const body = new ReadableStream({ start: (to) => (to.enqueue("abc"), to.close()) });
        return { status: 206, headers: new Headers(range), url: "", body };
      },
      { code: "REMOTE_NETWORK" },
    ],
    ["nothing", () => undefined, /^TypeError: \S+: fetch must return a Response; got undefined$/],
    [
      "an object",
      () => ({ status: 206 }),
      /^TypeError: \S+: fetch must return a Response; got an object$/,
    ],
    [
      "an answer from nowhere",
      () => ({ status: 206, headers: new Headers(range), url: "http://[", body: null }),
      { code: "REMOTE_ORIGIN" },
    ],
  ];
  for (const [what, answer, refused] of cases) {
    test(what, () =>
      assert.rejects(remote("https://hub.example/file", { fetch: async () => answer() }), refused),
    );
  }
});

describe("remote aborts", () => {
  for (const fault of ["stalls-before", "stalls-within"]) {
    test(`by itself, when no byte arrives: ${fault}`, async () => {
      const file = await open(fault, { timeout: 300 });
      await assert.rejects(read(file, 100_000, 110_000), error("STALLED"));
      sameBytes(await read(file, 100_000, 110_000), 100_000, 110_000);
    });
  }

  test("but not while bytes arrive, however slowly", async () => {
    const file = await open("drips-slowly", { timeout: 1500 });
    const began = performance.now();
    sameBytes(await read(file, 100_000, 180_000), 100_000, 180_000);
    assert.ok(performance.now() - began > 1500);
  });

  test("on a signal before it begins, without a request", async () => {
    const signal = AbortSignal.abort();
    await assert.rejects(open("none", { signal }), { name: "AbortError" });
    assert.equal(server.requests("none"), 0);
    const file = await open("none");
    await assert.rejects(read(file, 100_000, 100_010, { signal }), { name: "AbortError" });
    await assert.rejects(read(file, 0, 10, { signal }), { name: "AbortError" });
    assert.equal(server.requests("none"), 1);
  });

  for (const fault of ["stalls-before", "stalls-within", "drips"]) {
    test(`on a signal while it reads, with the signal's reason: ${fault}`, async () => {
      const file = await open(fault);
      const reason = new Error("the reader left");
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      const reading = read(file, 100_000, 110_000, { signal: controller.signal });
      await assert.rejects(reading, (thrown) => thrown === reason);
      sameBytes(await read(file, 100_000, 110_000), 100_000, 110_000);
    });
  }

  test("on a signal while it opens", async () => {
    const signal = AbortSignal.timeout(100);
    await assert.rejects(open("whole-endless", { signal, maxBytes: 2 ** 40 }), {
      name: "TimeoutError",
    });
  });

  test("also if the given fetch ignores signals", async () => {
    /** @type {typeof globalThis.fetch} */
    const fetch = (url, init) => globalThis.fetch(url, { headers: init?.headers });
    const file = await open("stalls-within", { timeout: 300, fetch });
    await assert.rejects(read(file, 100_000, 110_000), error("STALLED"));
    sameBytes(await read(file, 100_000, 110_000), 100_000, 110_000);
  });
});

describe("remote's arguments", () => {
  test("the address is https, or of this machine, and contains no password", async () => {
    for (const url of ["http://example.org/x", "file:///etc/passwd", "data:,x", "x", "", "//x/y"]) {
      await assert.rejects(remote(url), RangeError);
    }
    await assert.rejects(remote("https://me:secret@example.org/x"), (/** @type {any} */ thrown) => {
      assert.ok(thrown instanceof RangeError && !thrown.message.includes("secret"));
      return true;
    });
    for (const url of ["https://me@example.org/x", "https://:secret@example.org/x"]) {
      await assert.rejects(remote(url), /must not contain a user name or password; got one$/);
    }
    for (const url of [undefined, 7, {}]) {
      await assert.rejects(remote(/** @type {any} */ (url)), TypeError);
    }
  });

  test("an address in a message has its path, or the end of one of more than 120 characters", async () => {
    const fetch = async () => new Response(null, { status: 404 });
    const path = (/** @type {number} */ length) => `/${"ab".repeat(length / 2)}`.slice(0, length);
    const said = (/** @type {string} */ at) =>
      remote(`https://example.org${at}?secret`, { fetch }).catch(({ message }) => message);
    assert.ok((await said(path(120))).startsWith(`https://example.org${path(120)} must `));
    const cut = `https://example.org...${path(121).slice(-117)} must `;
    assert.ok((await said(path(121))).startsWith(cut));
  });

  test("the options are checked, and an unknown one is rejected", async () => {
    const url = server.url("none");
    for (const [options, kind] of /** @type {[any, ErrorConstructor][]} */ ([
      [{ origins: "https://example.org" }, TypeError],
      [{ origins: ["example.org"] }, RangeError],
      [{ origins: ["https://example.org/path"] }, RangeError],
      [{ origins: ["*"] }, RangeError],
      [{ origins: ["*.org/x"] }, RangeError],
      [{ timeout: 0 }, RangeError],
      [{ timeout: "1" }, TypeError],
      [{ maxBytes: -1 }, RangeError],
      [{ cache: true }, TypeError],
      [{ cache: { memory: -1 } }, RangeError],
      [{ cache: { storage: -1 } }, RangeError],
      [{ cache: { storage: 2 ** 53 } }, RangeError],
      [{ cache: { disk: 1 } }, TypeError],
      [{ signal: {} }, TypeError],
      [{ retries: 3 }, TypeError],
    ])) {
      await assert.rejects(remote(url, options), kind, JSON.stringify(options));
    }
    await assert.rejects(remote(url, { timeout: 0.5, maxBytes: -1 }), /maxBytes must/);
    const message = "remote: fetch must be a function; got 7";
    await assert.rejects(remote(url, /** @type {any} */ ({ fetch: 7 })), {
      name: "TypeError",
      message,
    });
    const file = await open("none");
    assert.throws(() => file.slice(0.5), RangeError);
    assert.throws(() => file.slice(/** @type {any} */ ("1")), TypeError);
    const signal = /** @type {any} */ ({ aborted: true });
    await assert.rejects(read(file, 0, 1, { signal }), TypeError);
    assert.equal(server.requests("none"), 1);
  });

  test("the limits may be 0, and are 8 MiB, a quarter of 32 MiB and 30 s by default", async (t) => {
    await open("none", { maxBytes: 0, cache: { memory: 0, storage: 0 } });
    /** @type {any} */
    const ranged = async (/** @type {string} */ _, /** @type {any} */ { headers }) => {
      const [begin, last] = headers.Range.slice("bytes=".length).split("-").map(Number);
      const range = `bytes ${begin}-${last}/${2 ** 26}`;
      const body = new Uint8Array(last - begin + 1);
      return new Response(body, { status: 206, headers: { "content-range": range } });
    };
    const timer = globalThis.setTimeout;
    t.after(() => void (globalThis.setTimeout = timer));
    /** @type {unknown[]} */
    const times = [];
    globalThis.setTimeout = /** @type {any} */ (
      (/** @type {any} */ work, /** @type {number} */ ms) => timer(work, times.push(ms) && ms)
    );
    const file = await remote("https://example.org/a.bin", { fetch: ranged });
    assert.deepEqual(new Set(times), new Set([30_000]));
    for (const [size, requests] of [
      [2 ** 23, 2],
      [2 ** 23 + 1, 4],
    ]) {
      await read(file, 2 ** 24, 2 ** 24 + size);
      await read(file, 2 ** 24, 2 ** 24 + size);
      assert.equal(file.requests, requests);
    }
    /** @type {(size: number) => any} */
    const whole = (size) => async () => new Response(new Uint8Array(size));
    assert.equal((await remote("https://example.org/b", { fetch: whole(2 ** 23) })).size, 2 ** 23);
    const larger = remote("https://example.org/b", { fetch: whole(2 ** 23 + 1) });
    await assert.rejects(larger, { code: "REMOTE_RANGE" });
  });

  test("a timeout is named in milliseconds or seconds, and one beyond a timer's longest never ends", async (t) => {
    const timer = globalThis.setTimeout;
    t.after(() => void (globalThis.setTimeout = timer));
    /** @type {Set<unknown>} */
    const times = new Set();
    /** @param {number} timeout */
    const opened = (timeout, fetch = /** @type {any} */ (() => new Promise(() => {}))) => {
      globalThis.setTimeout = /** @type {any} */ (
        (/** @type {any} */ work, /** @type {number} */ ms) =>
          timer(work, times.add(ms) && ms === timeout ? 0 : ms)
      );
      return remote("https://example.org/a", { timeout, fetch });
    };
    for (const [timeout, said] of /** @type {const} */ ([
      [0.5, "0.5 ms"],
      [999, "999 ms"],
      [1000, "1 s"],
      [2500, "2.5 s"],
      [2 ** 31 - 1, "2147483.647 s"],
    ])) {
      const message = `https://example.org/a must send a byte within ${said}; got none`;
      await assert.rejects(opened(timeout), { code: "REMOTE_STALLED", message });
    }
    const file = await opened(2 ** 31, async () => new Response("abc"));
    assert.deepEqual([file.size, times.has(2 ** 31)], [3, false]);
  });

  test("a body that breaks off is refused with its error and the bytes that came", async () => {
    for (const came of [0, 5]) {
      /** @type {any} */
      const broken = async () => {
        const pull = (/** @type {ReadableStreamDefaultController} */ to) =>
          to.error(new Error("torn"));
        const start = (/** @type {ReadableStreamDefaultController} */ to) => {
          if (came > 0) to.enqueue(new Uint8Array(came));
        };
        const headers = { "content-range": "bytes 0-99/100" };
        return new Response(new ReadableStream({ start, pull }), { status: 206, headers });
      };
      const message = `https://example.org/a must answer to the end; got "torn" after ${came} bytes`;
      const opened = remote("https://example.org/a", { fetch: broken });
      await assert.rejects(opened, { code: "REMOTE_NETWORK", message });
    }
  });

  test("a status and an encoding are named in full", async () => {
    const own = "the server's own failure";
    for (const [
      status,
      headers,
      message,
    ] of /** @type {[number, Record<string, string>, string][]} */ ([
      [401, {}, "return the file; got 401 (not there, private, or gated)"],
      [404, {}, "return the file; got 404 (not there)"],
      [418, {}, "return the file; got 418"],
      [418, { "x-error-code": "GatedRepo" }, "return the file; got 418 (GatedRepo)"],
      [499, {}, "return the file; got 499"],
      [500, {}, `return the file; got 500 (${own})`],
      [503, { "retry-after": "7" }, `return the file; got 503 (${own}; again in 7 s)`],
      [503, { "retry-after": "soon" }, `return the file; got 503 (${own})`],
      ...[39, 40, 41].map((length) => {
        const encoding = "zip-".repeat(11).slice(0, length);
        const got = `send ranges of the file as it is; got ${encoding.slice(0, 40)}`;
        return [206, { "content-encoding": encoding }, got];
      }),
    ])) {
      /** @type {any} */
      const fetch = async () => new Response("body", { status, headers });
      const refused = remote("https://example.org/a", { fetch });
      await assert.rejects(refused, { message: `https://example.org/a must ${message}` });
    }
    assert.ok(Object.isFrozen(await open("none")));
  });

  test("a request is one plain range, without cookies and without custom headers", async () => {
    /** @type {[string, RequestInit][]} */
    const asked = [];
    /** @type {any} */
    const fetch = (/** @type {string} */ url, /** @type {RequestInit} */ init) => {
      asked.push([url, init]);
      return globalThis.fetch(url, init);
    };
    const file = await open("none", { fetch });
    await read(file, 70_000, 70_010);
    assert.deepEqual(
      asked.map(([url, { signal, ...init }]) => [url, init, signal instanceof AbortSignal]),
      ["bytes=0-65535", "bytes=70000-70009"].map((Range) => [
        server.url("none"),
        { headers: { Range }, credentials: "omit", cache: "no-store", redirect: "manual" },
        true,
      ]),
    );
  });
});

test("safetensors.read passes errors of the source on unchanged", async () => {
  const header = JSON.stringify({ a: { dtype: "U8", shape: [99_000], data_offsets: [0, 99_000] } });
  const size = 8 + header.length + 99_000;
  const head = new Uint8Array(65_536);
  new DataView(head.buffer).setBigUint64(0, BigInt(header.length), true);
  head.set(new TextEncoder().encode(header), 8);
  let nth = 0;
  const fetch = async () =>
    ++nth === 1
      ? new Response(head, { status: 206, headers: { "Content-Range": `bytes 0-65535/${size}` } })
      : new Response(null, { status: 503 });
  const file = await safetensors.read(await remote("https://example.org/a", { fetch }));
  await assert.rejects(file.tensor("a"), (/** @type {any} */ thrown) => {
    assert.ok(thrown instanceof RemoteError);
    assert.deepEqual([thrown.code, thrown.status], ["REMOTE_STATUS", 503]);
    return true;
  });
});
