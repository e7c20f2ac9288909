// A server on this machine on which every read fails in a different way: the first path
// element names the fault. Faults that come "later" spare the first request, which opens the file.

import { listen, rangeOf } from "./server.js";
import { gzipSync } from "node:zlib";

/** @import { Request, Response } from "./server.js" */

/** The file: more than the first request asks for. */
export const content = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);
export const etag = '"of-the-content"';

/**
 * A question and what answers it.
 * @typedef {object} Visit
 * @property {Request} request @property {Response} response
 * @property {number} nth  request for this fault: the first is 1
 * @property {number} begin @property {number} end  of the range that is asked for
 * @property {(changes?: {headers?: Record<string, string | number>, body?: Uint8Array, status?: number}) => void} part
 *   answers rightly but for what is changed; a header that is "" is left out
 * @property {string} elsewhere  the origin of another server, which has the file too
 */

const SMALL = content.subarray(0, 1000);

/** A fault that spares the first request. @param {(visit: Visit) => void} fault */
const later = (fault) => (/** @type {Visit} */ visit) =>
  visit.nth === 1 ? visit.part() : fault(visit);

/** @param {number} status @param {Record<string, string>} [headers] */
const status = (status, headers) => (/** @type {Visit} */ visit) => {
  visit.response.writeHead(status, headers).end("an explanation");
};

/** @param {string} location */
const redirect = (location) => status(302, { Location: location });

/** A Content-Range of one's own. @param {(visit: Visit) => string} range */
const ranged = (range) => (/** @type {Visit} */ visit) =>
  visit.part({ headers: { "Content-Range": range(visit) } });

const N = content.length;

/** @type {Record<string, (visit: Visit) => void>} */
const faults = {
  none: ({ part }) => part(),

  // What is answered
  "whole-small": ({ response }) => void response.writeHead(200, { ETag: etag }).end(SMALL),
  "whole-large": ({ response }) =>
    void response.writeHead(200, { "Content-Length": N }).end(content),
  "whole-endless": ({ response }) => endless(response.writeHead(200)),
  "whole-later": later(({ response }) => void response.writeHead(200, { ETag: etag }).end(content)),
  empty: status(416, { "Content-Range": "bytes */0" }),
  "empty-whole": ({ response }) => void response.writeHead(200).end(),
  "range-missing": ({ part }) => part({ headers: { "Content-Range": "" } }),
  "range-nonsense": ranged(() => "bytes 0-/many"),
  "range-unknown-size": ranged(({ begin, end }) => `bytes ${begin}-${end - 1}/*`),
  "range-huge-size": ranged(({ begin, end }) => `bytes ${begin}-${end - 1}/9${"0".repeat(20)}`),
  "range-wrong-begin": later(ranged(({ begin, end }) => `bytes ${begin + 1}-${end}/${N}`)),
  "range-wrong-end": later(ranged(({ begin, end }) => `bytes ${begin}-${end - 2}/${N}`)),
  "range-wrong-total": later(ranged(({ begin, end }) => `bytes ${begin}-${end - 1}/${N + 1}`)),
  compressed: (visit) => {
    const body = gzipSync(content.subarray(visit.begin, visit.end));
    visit.part({ headers: { "Content-Encoding": "gzip", "Content-Length": body.length }, body });
  },

  // Who it is
  changed: later(({ part, nth }) => part({ headers: nth === 2 ? { ETag: '"of-another"' } : {} })),
  "etag-lost": later(({ part }) => part({ headers: { ETag: "" } })),
  "etag-weak": ({ part }) => part({ headers: { ETag: `W/${etag}` } }),
  "etag-none": ({ part }) => part({ headers: { ETag: "" } }),
  "date-changed": ({ part, nth }) => {
    const day = nth === 1 ? "Thu, 01 Jan 2026 00:00:00 GMT" : "Fri, 02 Jan 2026 00:00:00 GMT";
    part({ headers: { ETag: "", "Last-Modified": day } });
  },

  // What comes
  short: later(({ part, begin, end, nth }) => {
    const body = content.subarray(begin, nth === 2 ? end - 10 : end);
    part({ headers: { "Content-Length": body.length }, body });
  }),
  long: later(({ part, begin, end }) => {
    part({
      headers: { "Content-Length": end - begin + 10 },
      body: content.subarray(begin, end + 10),
    });
  }),
  endless: later(({ part, response }) => {
    part({ headers: { "Content-Length": "" }, body: new Uint8Array(0) });
    endless(response);
  }),
  reset: later(({ part, response, begin, nth }) => {
    if (nth > 2) return part();
    part({ body: content.subarray(begin, begin + 100) });
    setTimeout(() => response.destroy(), 50);
  }),
  "stalls-before": later(({ part, nth }) => (nth === 2 ? undefined : part())),
  "stalls-within": later(({ part, begin, nth }) => {
    part(nth === 2 ? { body: content.subarray(begin, begin + 100) } : {});
  }),
  drips: later((visit) => drip(visit, 100)),
  "drips-slowly": later((visit) => drip(visit, 250)),

  // Where it leads
  "redirect-here": redirect("/none/file"),
  "redirect-elsewhere": ({ response, elsewhere }) => {
    response.writeHead(307, { Location: `${elsewhere}/none/file?Signature=secret` }).end();
  },
  "redirect-loop": redirect("/redirect-loop/file"),
  "redirect-http": ({ response, request }) => {
    const port = String(request.headers.host).split(":")[1];
    response.writeHead(302, { Location: `http://0.0.0.0:${port}/none/file` }).end();
  },
  "redirect-later": later(({ response, elsewhere }) => {
    response.writeHead(302, { Location: `${elsewhere}/none/file` }).end();
  }),

  // Refusals
  401: status(401, { "X-Error-Code": "GatedRepo" }),
  403: status(403),
  404: status(404),
  416: status(416, { "Content-Range": `bytes */${N}` }),
  429: status(429, { "Retry-After": "7" }),
  500: status(500),
  503: status(503),
  "403-later": later(({ response, part, nth }) => {
    if (nth === 2) response.writeHead(403).end();
    else part();
  }),
  204: status(204),
};

/** The right bytes in eight pieces. @param {Visit} visit @param {number} pause  in milliseconds */
function drip({ part, response, begin, end }, pause) {
  part({ body: new Uint8Array(0) });
  const step = Math.ceil((end - begin) / 8);
  const next = (/** @type {number} */ at) => {
    response.write(content.subarray(at, Math.min(at + step, end)));
    if (at + step < end) setTimeout(next, pause, at + step);
    else response.end();
  };
  next(begin);
}

/** Bytes until nobody listens. @param {Response} response */
function endless(response) {
  const more = () => {
    while (!response.destroyed && response.write(content));
  };
  response.on("drain", more);
  more();
}

export async function serveFaults() {
  /** @type {Map<string, number>} */
  const requests = new Map();
  /** @param {() => string} elsewhere */
  const serving = (elsewhere) =>
    listen((request, response) => {
      const name = String(request.url).split("/")[1];
      const nth = (requests.get(name) ?? 0) + 1;
      requests.set(name, nth);
      const { begin, end } = rangeOf(request, N) ?? { begin: 0, end: 0 };
      /** @type {Visit["part"]} */
      const part = ({ headers = {}, body = content.subarray(begin, end), status = 206 } = {}) => {
        const range = `bytes ${begin}-${end - 1}/${N}`;
        const right = { ETag: etag, "Content-Range": range, "Content-Length": end - begin };
        const all = { ...right, ...headers };
        const sent = Object.entries(all).filter(([, value]) => value !== "");
        response.writeHead(status, Object.fromEntries(sent));
        if (body.length === all["Content-Length"]) response.end(body);
        else response.write(body); // the fault says how it goes on
      };
      faults[name]({ request, response, nth, begin, end, part, elsewhere: elsewhere() });
    });
  const other = await serving(() => "");
  const server = await serving(() => other.origin);
  return {
    origin: server.origin,
    elsewhere: other.origin,
    /** @param {string} fault */
    url: (fault) => `${server.origin}/${fault}/file`,
    /** How often it was asked. @param {string} fault */
    requests: (fault) => requests.get(fault) ?? 0,
    forget: () => requests.clear(),
    open: () => server.open() + other.open(),
    close: () => Promise.all([server.close(), other.close()]),
  };
}
