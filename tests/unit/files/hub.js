// A model hub on this machine that answers as the real one does, as far as its readers can see:
//
//   GET /api/models/NAME/revision/REVISION   JSON with the commit and the files; compressed
//   GET /NAME/resolve/COMMIT/PATH            small files: 307 to /api/resolve-cache/... here;
//                                            large ones: 302 to a signed address of its store
//
// The store is another origin and gives ranges of strong ETags. Across origins, the hub allows
// every origin and exposes ETag and Content-Range; the store allows and exposes everything, but
// refuses to be asked beforehand by an OPTIONS (huggingface/datasets#7931). An old name leads on to
// the new one by 307; an unknown model is 401, an unknown revision or file 404, each with its code.

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { listen, rangeOf } from "./server.js";

/**
 * @import { Request, Response } from "./server.js"
 * @typedef {string | Uint8Array | {size: number, etag: string, bytes(begin: number, end: number): Uint8Array}} Content
 *   a text, bytes, or what makes them: tests/unit/files/planted.js
 * @typedef {object} Model
 * @property {Record<string, Content>} files  by path
 * @property {string} [was]  its old name
 *
 * @typedef {object} Asked
 * @property {"hub" | "store"} of @property {string} method @property {string} path
 * @property {string | undefined} range @property {number} status
 */

const EXPOSED =
  "X-Repo-Commit,X-Request-Id,X-Error-Code,X-Error-Message,X-Total-Count,ETag,Link,Accept-Ranges,Content-Range,X-Linked-Size,X-Linked-ETag,X-Xet-Hash";

/** What the hub keeps in its store, by name as .gitattributes does. */
const isLarge = (/** @type {string} */ path) => /\.(safetensors|gguf|bin|npz|npy)$/.test(path);

/** The most bytes that are made at once. */
const BLOCK = 2 ** 20;

/**
 * @param {Record<string, Model>} models  by name
 */
export async function serveHub(models) {
  /** @type {Asked[]} */
  const asked = [];
  /** @type {Map<string, ReturnType<typeof asFile>>} */
  const byPlace = new Map();
  /** @type {Map<string, ReturnType<typeof asFile>>} */
  const byHash = new Map();
  /** @param {string} name @param {string} path @param {Content} content */
  const put = (name, path, content) => {
    const file = asFile(content);
    byPlace.set(`${name}/${path}`, file);
    byHash.set(file.hash, file);
  };
  for (const [name, { files }] of Object.entries(models)) {
    for (const [path, content] of Object.entries(files)) put(name, path, content);
  }
  /** @param {string} name */
  const commitOf = (name) =>
    sha("sha1", JSON.stringify([name, ...Object.keys(models[name].files)]));
  const renamed = new Map(Object.entries(models).map(([name, { was = name }]) => [was, name]));

  /** @param {"hub" | "store"} of @param {(request: Request, response: Response, url: URL) => void} answer */
  const serving = (of, answer) =>
    listen((request, response) => {
      const { method = "", headers } = request;
      const url = new URL(String(request.url), "http://localhost");
      response.once("close", () => {
        const { statusCode: status } = response;
        asked.push({ of, method, path: url.pathname, range: headers.range, status });
      });
      const { origin = "https://huggingface.co" } = headers;
      response.setHeader("Access-Control-Allow-Origin", of === "hub" ? origin : "*");
      response.setHeader("Access-Control-Expose-Headers", of === "hub" ? EXPOSED : "*");
      if (of === "hub") response.setHeader("Vary", "Origin");
      if (method !== "GET") response.writeHead(403).end();
      else answer(request, response, url);
    });

  const store = await serving("store", (request, response, { pathname, searchParams }) => {
    const file = byHash.get(pathname.split("/").at(-1) ?? "");
    if (!file || searchParams.get("Signature") !== signed(pathname)) {
      response.writeHead(403, { "Content-Type": "application/xml" }).end("<Error/>");
    } else send(request, response, file, `"${file.hash}"`);
  });

  const hub = await serving("hub", (request, response, { pathname }) => {
    const address = decodeURIComponent(pathname);
    const [, api, resolving, rest] =
      /^\/(api\/models\/)?(.+?)\/(?:revision|resolve)\/(.+)$/.exec(address) ?? [];
    const cached = /^\/api\/resolve-cache\/models\/([^/]+\/[^/]+)\/[0-9a-f]{40}\/(.+)$/;
    const [, name = resolving, path] = cached.exec(address) ?? [];
    const now = renamed.get(name);
    if (now && now !== name) {
      const location = pathname.replace(`/${name}/`, `/${now}/`); // names have no letters to encode
      response.writeHead(307, { Location: location }).end();
      return;
    }
    if (!Object.hasOwn(models, name ?? "")) return refuse(response, 401, "RepoNotFound");
    const commit = commitOf(name);
    response.setHeader("X-Repo-Commit", commit);
    if (path !== undefined) {
      const file = byPlace.get(`${name}/${path}`);
      if (!file) return refuse(response, 404, "EntryNotFound");
      return send(request, response, file, `"${file.hash.slice(0, 40)}"`);
    }
    const [revision, ...parts] = rest.split("/");
    if (revision !== "main" && revision !== commit) {
      return refuse(response, 404, "RevisionNotFound");
    }
    if (api !== undefined) return describe(request, response, name, commit);
    const file = byPlace.get(`${name}/${parts.join("/")}`);
    if (!file) return refuse(response, 404, "EntryNotFound");
    response.setHeader("Accept-Ranges", "bytes");
    const at = `/xet-bridge-us/${commit.slice(0, 24)}/${file.hash}`;
    const encoded = parts.map(encodeURIComponent).join("/");
    const location = isLarge(rest)
      ? `${store.origin}${at}?X-Xet-Cas-Uid=public&Expires=4102444800&Signature=${signed(at)}`
      : `/api/resolve-cache/models/${name}/${commit}/${encoded}?etag=%22${file.hash.slice(0, 40)}%22`;
    response.setHeader("X-Linked-Size", file.size);
    response.writeHead(isLarge(rest) ? 302 : 307, { Location: location });
    response.end(`Temporary Redirect. Redirecting to ${location}`);
  });

  /** @param {Request} request @param {Response} response @param {string} id @param {string} commit */
  function describe(request, response, id, commit) {
    const siblings = Object.keys(models[id].files).map((rfilename) => ({ rfilename }));
    const said = { _id: "621ffdc036468d709f17434d", id, modelId: id, private: false, gated: false };
    const text = JSON.stringify({ ...said, sha: commit, tags: ["transformers"], siblings });
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    pack(request, response, Buffer.from(text));
  }

  return {
    /** Where it is asked. */
    url: hub.origin,
    /** Where it sends readers: must be among their origins. */
    store: store.origin,
    /** What was asked for so far and is answered. */
    asked,
    /** Give a file other bytes, at the same address. */
    put,
    /** Answers that have begun and not ended. */
    open: () => hub.open() + store.open(),
    close: () => Promise.all([hub.close(), store.close()]),
  };
}

/** @param {Content} content */
function asFile(content) {
  if (typeof content !== "string" && "etag" in content) {
    const { size, etag, bytes } = content;
    return { size, hash: etag.replaceAll('"', ""), bytes };
  }
  const all = Buffer.from(content);
  const bytes = (/** @type {number} */ begin, /** @type {number} */ end) =>
    all.subarray(begin, end);
  return { size: all.length, hash: sha("sha256", all), bytes };
}

/** @param {Request} request @param {Response} response @param {ReturnType<typeof asFile>} file @param {string} etag */
function send(request, response, { size, bytes }, etag) {
  response.setHeader("ETag", etag);
  response.setHeader("Accept-Ranges", "bytes");
  const range = rangeOf(request, size);
  if (!range) {
    response.writeHead(416, { "Content-Range": `bytes */${size}` }).end();
    return;
  }
  const { begin, end } = range;
  if (request.headers.range === undefined) {
    if (size < BLOCK) return pack(request, response, Buffer.from(bytes(0, size)));
    response.writeHead(200, { "Content-Length": size });
  } else {
    const headers = { "Content-Range": `bytes ${begin}-${end - 1}/${size}` };
    response.writeHead(206, { ...headers, "Content-Length": end - begin });
  }
  const blocks = function* () {
    for (let at = begin; at < end; at += BLOCK) yield bytes(at, Math.min(at + BLOCK, end));
  };
  pipeline(Readable.from(blocks()), response).catch(() => {}); // the reader went away
}

/** @param {Request} request @param {Response} response @param {Buffer} body */
function pack({ headers }, response, body) {
  const zips = /\bgzip\b/.test(String(headers["accept-encoding"]));
  if (zips) response.setHeader("Content-Encoding", "gzip");
  response.end(zips ? gzipSync(body) : body);
}

/** @param {Response} response @param {number} status @param {string} code */
function refuse(response, status, code) {
  response.writeHead(status, { "X-Error-Code": code, "X-Error-Message": `${code}.` }).end(code);
}

/** @param {string} kind @param {string | Uint8Array} data */
const sha = (kind, data) => createHash(kind).update(data).digest("hex");

/** @param {string} path */
const signed = (path) => sha("sha256", `secret ${path}`);
