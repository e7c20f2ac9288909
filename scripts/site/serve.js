import { createServer } from "node:http";
import { open, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { headerFor, inlinePolicy } from "./policy.js";

/** @type {Record<string, string>} */
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".map": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** What is sent compressed: text, unless it fits a packet or is too large to compress in memory. */
const isText = /^text\/|\/(json|manifest\+json|svg\+xml)/;
const SMALLEST = 1024;
const LARGEST = 8 * 1024 * 1024;

/**
 * How a body is compressed, by the name of its encoding, the better one first.
 * @type {Record<string, (bytes: Buffer) => Promise<Buffer>>}
 */
const encodings = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: promisify(gzip),
};

/** Compressed files, by path and encoding. */
const compressed = /** @type {Map<string, {etag: string, body: Promise<Buffer>}>} */ (new Map());

/** The HTTP status for each error of the file system. @type {Record<string, number>} */
const statuses = { ENOENT: 404, ENOTDIR: 404, ENAMETOOLONG: 404, ELOOP: 404, EACCES: 403 };

/** @type {Record<number, string>} */
const sentences = {
  400: "The address must be a plain path, percent-encoded as UTF-8.",
  403: "Only what is inside the served folder can be read.",
  404: "There is no file at this address.",
  405: "Only GET and HEAD are answered here.",
  500: "The file could not be read.",
};

/** A response other than a file. */
class Refusal extends Error {
  /** @param {number} status */
  constructor(status) {
    super(sentences[status]);
    this.status = status;
  }
}

/**
 * Serves a folder's files on this machine under the page's policy (`scripts/site/policy.js`).
 *
 * Answers GET and HEAD; a folder's address gives its `index.html`. Nothing outside the folder is
 * readable, by `..` or by a symbolic link. Each file carries an ETag and is asked for anew; text is
 * compressed as the client accepts it; of other files ranges are answered. Where a page is asked for and none is, the
 * 404.html of the folder is sent, or of one above it.
 *
 * @param {string} folder
 * @param {object} [options]
 * @param {number} [options.port] 0 takes any free port
 * @param {string} [options.host]
 * @param {Record<string, string>} [options.headers] sent with every answer; they replace the
 *   server's own of the same name
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 * @throws {Error} the system's own, when the folder is missing or the port is taken (`EADDRINUSE`)
 */
export async function serve(folder, { port = 0, host = "127.0.0.1", headers = {} } = {}) {
  const root = await realpath(folder);
  const common = new Headers({
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
  });
  for (const [name, value] of Object.entries(headers)) common.set(name, value);

  const server = createServer(async (request, response) => {
    response.setHeader("Content-Security-Policy", headerFor(String(request.url).split("?")[0]));
    response.setHeaders(common);
    try {
      await answer(root, request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else await refuse(error, root, request, response);
    }
  });
  await /** @type {Promise<void>} */ (
    new Promise((listening, failed) => {
      server.once("error", failed).listen(port, host, listening);
    })
  );

  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${address.port}/`,
    close: () =>
      new Promise((closed, failed) => {
        server.close((error) => (error ? failed(error) : closed()));
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {string} root
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answer(root, request, response) {
  if (request.method !== "GET" && request.method !== "HEAD") throw new Refusal(405);
  const [address, ...query] = /** @type {string} */ (request.url).split("?");
  const path = await locate(root, address);
  if (basename(path) === "404.html") {
    const policy = inlinePolicy(await readFile(path, "utf8"));
    response.setHeader("Content-Security-Policy", policy);
  }
  const stats = await stat(path, { bigint: true });
  if (stats.isDirectory()) {
    // Relative to the address, so it never leaves this server; with the slash the page's own
    // relative links hold.
    const location = [`./${address.slice(address.lastIndexOf("/") + 1)}/`, ...query].join("?");
    response.writeHead(307, { Location: location }).end();
    return;
  }
  if (!stats.isFile()) throw new Refusal(404); // a pipe would never end

  const size = Number(stats.size);
  const type = types[extname(path)] ?? "application/octet-stream";
  const isCompressed = isText.test(type) && size >= SMALLEST && size <= LARGEST;
  const etag = `W/"${size.toString(36)}-${stats.mtimeNs.toString(36)}"`; // weak: of every encoding
  response.setHeader("ETag", etag);
  if (isCompressed) response.setHeader("Vary", "Accept-Encoding");
  if (request.headers["if-none-match"]?.split(/, */).includes(etag)) {
    response.writeHead(304).end();
    return;
  }
  response.setHeader("Content-Type", type);
  const encoding = isCompressed ? encodingFor(request.headers["accept-encoding"]) : undefined;
  if (encoding) {
    const body = await compress(path, encoding, etag);
    response.setHeader("Content-Encoding", encoding);
    response.setHeader("Content-Length", body.length);
    response.end(request.method === "GET" ? body : undefined);
    return;
  }
  response.setHeader("Accept-Ranges", "bytes");
  const range = request.method === "GET" ? rangeOf(request.headers, size) : undefined;
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if (range) {
    response.statusCode = start < size ? 206 : 416;
    response.setHeader("Content-Range", `bytes ${start < size ? `${start}-${end}` : "*"}/${size}`);
  }
  const length = Math.max(0, end + 1 - start);
  const wanted = request.method === "GET" && length > 0;
  const bytes = wanted ? (await open(path)).createReadStream({ start, end }) : null;
  response.setHeader("Content-Length", length);
  if (!bytes) {
    response.end();
    return;
  }
  await pipeline(bytes, response);
  if (bytes.bytesRead < length) request.destroy(); // cut while it was read: end the short answer
}

/**
 * The one range of bytes that a client asks for; undefined for the whole file, as also for several
 * ranges and for other units.
 *
 * @param {import("node:http").IncomingHttpHeaders} headers @param {number} size
 */
function rangeOf({ range = "", "if-range": version }, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (version !== undefined || `${first ?? ""}${last ?? ""}` === "") return undefined; // our ETags are weak
  if (first === "") return { start: Math.max(0, size - Number(last)), end: size - 1 };
  const end = Math.min(last === "" ? Infinity : Number(last), size - 1);
  return end < Number(first) && Number(first) < size ? undefined : { start: Number(first), end };
}

/**
 * The encoding that a client prefers; among equals the server's first.
 * @param {string | string[] | undefined} accepted  the header Accept-Encoding
 */
function encodingFor(accepted = "") {
  /** @type {Record<string, number>} */
  const weights = {};
  for (const each of String(accepted).toLowerCase().split(",")) {
    const [name, weight = "1"] = each.split(/;\s*q=/);
    weights[name.trim()] = Number(weight);
  }
  const weightOf = (/** @type {string} */ name) => weights[name] ?? weights["*"] ?? 0;
  return Object.keys(encodings)
    .filter((name) => weightOf(name) > 0)
    .sort((a, b) => weightOf(b) - weightOf(a))[0];
}

/** @param {string} path @param {string} encoding @param {string} etag */
function compress(path, encoding, etag) {
  const key = `${encoding} ${path}`;
  const known = compressed.get(key);
  if (known?.etag === etag) return known.body;
  const body = readFile(path).then(encodings[encoding]);
  compressed.set(key, { etag, body });
  body.catch(() => compressed.delete(key));
  return body;
}

/**
 * The file that an address names, its links followed. The address is decoded once.
 *
 * @param {string} root @param {string} address
 */
async function locate(root, address) {
  const name = decode(address);
  if (!name.startsWith("/") || name.includes("\\") || name.includes("\0")) throw new Refusal(400);
  const path = join(root, name.endsWith("/") ? `${name}index.html` : name);
  if (!isWithin(root, path)) throw new Refusal(403);
  const real = await realpath(path);
  if (!isWithin(root, real)) throw new Refusal(403);
  return real;
}

/** @param {string} address */
function decode(address) {
  try {
    return decodeURIComponent(address);
  } catch {
    throw new Refusal(400);
  }
}

/** @param {string} root @param {string} path both normalized */
const isWithin = (root, path) => path === root || path.startsWith(root + sep);

/**
 * @param {unknown} error @param {string} root
 * @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response
 */
async function refuse(error, root, request, response) {
  const { code = "" } = /** @type {NodeJS.ErrnoException} */ (error);
  const refusal = error instanceof Refusal ? error : new Refusal(statuses[code] ?? 500);
  if (refusal.status === 405) response.setHeader("Allow", "GET, HEAD");
  for (const name of ["ETag", "Vary"]) response.removeHeader(name);
  const isPage = refusal.status === 404 && /\btext\/html\b/.test(request.headers.accept ?? "");
  const page = isPage ? await notFoundPage(root, String(request.url)) : undefined;
  if (page !== undefined) response.setHeader("Content-Security-Policy", inlinePolicy(page));
  response
    .writeHead(refusal.status, { "Content-Type": types[page === undefined ? ".txt" : ".html"] })
    .end(page ?? `${refusal.message}\n`);
}

/**
 * The 404.html nearest to an address, as hosts of static files send it.
 * @param {string} root @param {string} address
 */
async function notFoundPage(root, address) {
  let folder = join(root, decode(address.split("?")[0]));
  do {
    folder = dirname(folder);
    const page = await readFile(join(folder, "404.html"), "utf8").catch(() => undefined);
    if (page !== undefined) return page;
  } while (folder.length > root.length);
  return undefined;
}
