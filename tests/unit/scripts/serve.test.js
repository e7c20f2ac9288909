import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { get as request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { serve } from "../../../scripts/site/serve.js";
import { contentSecurityPolicy, headerFor, policyFor } from "../../../scripts/site/policy.js";

const outer = mkdtempSync(join(tmpdir(), "phasor-serve-"));
const site = join(outer, "site");

/** @param {string} name @param {string | Uint8Array} content */
function write(name, content) {
  mkdirSync(join(outer, name, ".."), { recursive: true });
  writeFileSync(join(outer, name), content);
}

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;

before(async () => {
  write("secret.txt", "secret");
  write("site-beside/secret.txt", "secret");
  write("site/index.html", "<h1>home</h1>");
  write("site/lessons/index.html", "<h1>lessons</h1>");
  write("site/sub/404.html", "<style>a{}</style><script>1</script><h1>none</h1>");
  write("site/empty/.keep", "");
  write("site/a name é.txt", "named");
  write("site/large.bin", new Uint8Array(3_000_000).fill(7));
  symlinkSync(join(outer, "secret.txt"), join(site, "link-out.txt"));
  symlinkSync(outer, join(site, "folder-out"));
  symlinkSync(join(site, "index.html"), join(site, "link-in.html"));
  server = await serve(site);
});

after(async () => {
  await server.close();
  rmSync(outer, { recursive: true });
});

/** @param {string} path @param {RequestInit} [init] */
const get = (path, init) => fetch(new URL(path, server.url), { redirect: "manual", ...init });

/** The status a request line gets when no client has tidied its path first. @param {string} path */
async function statusOf(path) {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  assert.ok(!answer.includes("secret"), `${path} must not reach the secret file`);
  return Number(answer.split(" ")[1]);
}

test("serve answers on loopback with the folder's index.html", async () => {
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
  const answer = await get("/");
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), "<h1>home</h1>");
  assert.equal(await (await get("/lessons/?p=1")).text(), "<h1>lessons</h1>");
});

test("serve names the type of every file the page uses", async () => {
  const types = {
    html: "text/html; charset=utf-8",
    js: "text/javascript; charset=utf-8",
    mjs: "text/javascript; charset=utf-8",
    css: "text/css; charset=utf-8",
    wasm: "application/wasm",
    json: "application/json",
    map: "application/json",
    webmanifest: "application/manifest+json",
    txt: "text/plain; charset=utf-8",
    svg: "image/svg+xml",
    png: "image/png",
    ico: "image/x-icon",
    safetensors: "application/octet-stream",
    npy: "application/octet-stream",
    bin: "application/octet-stream",
    toString: "application/octet-stream",
  };
  for (const [extension, type] of Object.entries(types)) {
    write(`site/file.${extension}`, extension);
    const answer = await get(`/file.${extension}`);
    assert.equal(answer.headers.get("content-type"), type);
    assert.equal(await answer.text(), extension);
  }
});

test("serve sends the page policy with every response", async () => {
  for (const path of ["/", "/nothing", "/lessons"]) {
    const { headers } = await get(path);
    const policy = path === "/" ? policyFor("index.html") : contentSecurityPolicy;
    assert.equal(headers.get("content-security-policy"), policy);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
  }
  assert.match(
    contentSecurityPolicy,
    /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /,
  );
  assert.doesNotMatch(contentSecurityPolicy, /unsafe-inline|'unsafe-eval'|\*/);
});

test("serve sandboxes only the frame for programs", async () => {
  write("site/frame/index.html", "<p>frame</p>");
  for (const path of ["/frame/", "/frame/index.html", "/frame/?x=1"]) {
    const { headers } = await get(path);
    assert.match(String(headers.get("content-security-policy")), /^sandbox allow-scripts; default/);
    assert.equal(headers.get("content-security-policy"), headerFor("frame/index.html"));
  }
  for (const path of ["/frame/else.html", "/lessons/?/frame/", "/aframe/"]) {
    assert.equal((await get(path)).headers.get("content-security-policy"), contentSecurityPolicy);
  }
});

test("serve adds the caller's headers, which override its own", async (t) => {
  const own = await serve(site, { headers: { "X-Own": "1", "referrer-policy": "same-origin" } });
  t.after(own.close);
  const { headers } = await fetch(own.url);
  assert.equal(headers.get("x-own"), "1");
  assert.equal(headers.get("referrer-policy"), "same-origin");
  assert.equal(headers.get("content-security-policy"), policyFor("index.html"));
});

test("serve streams a large file completely and with its length", async () => {
  const answer = await get("/large.bin");
  assert.equal(answer.headers.get("content-length"), "3000000");
  const bytes = new Uint8Array(await answer.arrayBuffer());
  assert.equal(bytes.length, 3_000_000);
  assert.ok(bytes.every((byte) => byte === 7));
});

test("serve answers a valid range with exactly these bytes, and others with the whole file", async () => {
  write("site/digits.bin", "0123456789");
  for (const [range, status, body, said] of /** @type {const} */ ([
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=7-99", 206, "789", "bytes 7-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=10-12", 416, "", "bytes */10"],
    ["bytes=4-2", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["bytes=0-1,3-4", 200, "0123456789", null],
    ["rows=0-1", 200, "0123456789", null],
  ])) {
    const answer = await get("/digits.bin", { headers: { Range: range } });
    assert.deepEqual(
      [answer.status, await answer.text(), answer.headers.get("content-range")],
      [status, body, said],
      range,
    );
    assert.equal(answer.headers.get("content-length"), String(body.length));
    assert.equal(answer.headers.get("accept-ranges"), "bytes");
  }
  const headers = { Range: "bytes=2-4", "If-Range": '"another"' };
  assert.equal((await get("/digits.bin", { headers })).status, 200);
  const head = await get("/digits.bin", { method: "HEAD", headers: { Range: "bytes=2-4" } });
  assert.deepEqual([head.status, head.headers.get("content-length")], [200, "10"]);
});

test("serve answers HEAD with the headers of GET and no body", async () => {
  const answer = await get("/large.bin", { method: "HEAD" });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-length"), "3000000");
  assert.equal((await answer.arrayBuffer()).byteLength, 0);
  assert.equal((await get("/nothing", { method: "HEAD" })).status, 404);
});

test("serve sends the nearest 404.html for a missing page, under its own policy", async () => {
  const headers = { Accept: "text/html,*/*" };
  for (const path of ["/sub/nothing", "/sub/a/b/?c"]) {
    const answer = await get(path, { headers });
    assert.equal(answer.status, 404);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(
      answer.headers.get("content-security-policy") ?? "",
      /script-src 'sha256-[^']+'; style-src 'sha256-/,
    );
    assert.match(await answer.text(), /<h1>none/);
  }
  assert.match(await (await get("/sub/nothing")).text(), /no file/, "other files have none");
  assert.match(await (await get("/nothing", { headers })).text(), /no file/, "nor folders beside");
});

/**
 * An answer as it comes over the wire.
 * @param {string} path @param {Record<string, string>} headers @param {string} [method]
 */
async function raw(path, headers, method = "GET") {
  const [answer] = await once(request(new URL(path, server.url), { headers, method }), "response");
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

test("serve compresses text with an encoding that the client accepts", async () => {
  const words = "The dog chased the cat. ".repeat(500);
  for (const extension of ["html", "js", "css", "json", "map", "svg", "txt", "webmanifest"]) {
    const path = `/long.${extension}`;
    write(`site${path}`, words);
    for (const [accepted, encoding, unpack] of /** @type {const} */ ([
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["gzip, deflate", "gzip", gunzipSync],
      ["br;q=0, *", "gzip", gunzipSync],
      ["br;q=0.5, GZIP; q=0.9", "gzip", gunzipSync],
    ])) {
      const { headers, body } = await raw(path, { "Accept-Encoding": accepted });
      assert.equal(headers["content-encoding"], encoding, `${path} ${accepted}`);
      assert.equal(headers["vary"], "Accept-Encoding");
      assert.equal(Number(headers["content-length"]), body.length);
      assert.ok(body.length < words.length / 10);
      assert.equal(unpack(body).toString(), words);
    }
  }
});

test("serve does not compress short files, binary files, or without a request for it", async () => {
  write("site/short.txt", "short");
  write("site/long.txt", "long ".repeat(1000));
  for (const [path, accepted] of [
    ["/short.txt", "br"],
    ["/large.bin", "br"],
    ["/long.txt", "identity"],
    ["/long.txt", "br;q=0, gzip;q=0"],
    ["/long.txt", "deflate"],
    ["/long.txt", ""],
  ]) {
    const { headers, body } = await raw(path, { "Accept-Encoding": accepted });
    assert.equal(headers["content-encoding"], undefined, `${path} ${accepted}`);
    assert.equal(Number(headers["content-length"]), body.length);
  }
  const { headers } = await raw("/long.txt", {});
  assert.equal(headers["vary"], "Accept-Encoding"); // for caches in between
});

test("serve answers HEAD and 304 for compressed files as for others", async () => {
  write("site/long.css", "a { color: red } ".repeat(500));
  const accept = { "Accept-Encoding": "br" };
  const whole = await raw("/long.css", accept);
  const head = await raw("/long.css", accept, "HEAD");
  for (const name of ["content-length", "content-encoding", "content-type", "etag", "vary"]) {
    assert.equal(head.headers[name], whole.headers[name], name);
  }
  assert.equal(head.body.length, 0);
  const etag = String(whole.headers["etag"]);
  const unchanged = await raw("/long.css", { ...accept, "If-None-Match": etag });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.headers["vary"], "Accept-Encoding");
  assert.equal(unchanged.headers["content-encoding"], undefined);

  write("site/long.css", "b { color: red } ".repeat(500));
  utimesSync(join(site, "long.css"), 1, 1);
  const changed = await raw("/long.css", { ...accept, "If-None-Match": etag });
  assert.equal(changed.status, 200);
  assert.match(brotliDecompressSync(changed.body).toString(), /^b /); // not the one of before
});

test("serve answers an empty file with an empty body", async () => {
  write("site/empty.txt", "");
  const answer = await get("/empty.txt");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-length"), "0");
  assert.equal(await answer.text(), "");
});

test("serve answers 304 while a file is unchanged and 200 after it changes", async () => {
  write("site/page.css", "a {}");
  const etag = /** @type {string} */ ((await get("/page.css")).headers.get("etag"));
  const asked = { headers: { "If-None-Match": `"other", ${etag}` } };
  const unchanged = await get("/page.css", asked);
  assert.equal(unchanged.status, 304);
  assert.equal(await unchanged.text(), "");
  write("site/page.css", "b {}");
  utimesSync(join(site, "page.css"), 1, 1);
  const changed = await get("/page.css", asked);
  assert.equal(changed.status, 200);
  assert.equal(await changed.text(), "b {}");
});

test("serve redirects a folder without a slash to the one with it, on this server only", async () => {
  const answer = await get("/lessons?p=1?2");
  assert.equal(answer.status, 307);
  assert.equal(answer.headers.get("location"), "./lessons/?p=1?2");
  const doubled = await get(`${server.url}/lessons`);
  assert.equal(doubled.headers.get("location"), "./lessons/");
});

test("serve decodes names with spaces and letters of any script", async () => {
  assert.equal(await (await get("/a%20name%20%C3%A9.txt")).text(), "named");
});

test("serve answers with a message for a missing file", async () => {
  for (const path of ["/nothing", "/empty/", "/index.html/", "/index.html/deeper"]) {
    const answer = await get(path);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(await answer.text(), "There is no file at this address.\n");
  }
});

test("serve rejects methods other than GET and HEAD", async () => {
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const answer = await get("/", { method });
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.get("allow"), "GET, HEAD");
  }
});

test("serve rejects paths that leave the folder", async () => {
  for (const path of [
    "/../secret.txt",
    "/lessons/../../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e%2fsecret.txt",
    "/../site-beside/secret.txt",
    "//../secret.txt",
    "/..",
    "/../",
  ]) {
    assert.equal(await statusOf(path), 403, path);
  }
});

test("serve decodes a path once", async () => {
  assert.equal(await statusOf("/%252e%252e%252fsecret.txt"), 404);
});

test("serve rejects malformed addresses", async () => {
  for (const path of [
    "/..%5csecret.txt",
    "/..\\secret.txt",
    "/secret.txt%00.html",
    "/%zz",
    "/%ff",
    "http://here/index.html",
    "*",
  ]) {
    assert.equal(await statusOf(path), 400, path);
  }
  assert.equal(await statusOf(`/${"a".repeat(5000)}`), 404);
  assert.equal(await statusOf(join(outer, "secret.txt")), 404);
});

test("serve follows symbolic links inside the folder and rejects those that leave it", async () => {
  assert.equal(await statusOf("/link-in.html"), 200);
  assert.equal(await statusOf("/link-out.txt"), 403);
  assert.equal(await statusOf("/folder-out/secret.txt"), 403);
});

test("serve survives a client that disconnects early", async () => {
  const stop = new AbortController();
  const answer = await get("/large.bin", { signal: stop.signal });
  stop.abort();
  await assert.rejects(answer.arrayBuffer(), { name: "AbortError" });
  assert.equal((await get("/")).status, 200);
});

test("serve rejects with the system's error if the port is in use or the folder missing", async () => {
  await assert.rejects(serve(site, { port: Number(new URL(server.url).port) }), {
    code: "EADDRINUSE",
  });
  await assert.rejects(serve(join(outer, "nowhere")), { code: "ENOENT" });
});

test("serve stops listening once closed", async () => {
  const own = await serve(site);
  await fetch(own.url); // leaves a connection open
  await own.close();
  await assert.rejects(fetch(own.url));
});
