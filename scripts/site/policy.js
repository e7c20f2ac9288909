import { createHash } from "node:crypto";
import { FILES } from "../../web/app/write/python-files.js";
import { tasks } from "../../web/app/write/tasks/index.js";

/** @param {readonly string[]} hosts  that may be read besides the page's own */
const reading = (...hosts) =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    ["connect-src 'self'", ...hosts].join(" "),
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types phasor",
  ].join("; ");

/**
 * The page's Content-Security-Policy: the one source for the server's header and the page's
 * `<meta http-equiv>`. WebAssembly needs `'wasm-unsafe-eval'`, pictures and downloads need `data:`
 * and `blob:`; the trusted-types policy `phasor` passes only the page's own worker addresses.
 */
export const contentSecurityPolicy = reading();

/**
 * The policy of the pages that open models, and of their worker, which has the header of its file:
 * only they may read a hub, and the hosts to which it redirects.
 */
const HUBS = ["https://huggingface.co", "https://*.hf.co"];

/** The lessons with a function to write may read the files of Python for the browser, and no others of that host. */
const PYTHON = Object.values(FILES).map(({ address }) => address);

/**
 * The policy of the frame that runs readers' programs: any script that it receives, and no network. Its own
 * script is inline in its HTML, since the origin of a sandbox may load no file and no service worker
 * answers it.
 */
const framePolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
  "style-src 'unsafe-inline'",
  "connect-src blob:",
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/**
 * The policy of the 404 page. Its style and its script are inline in its HTML, and only these run.
 * @param {string} html  of the page
 */
export function inlinePolicy(html) {
  const [style, script] = ["style", "script"].map((tag) => {
    const [, text] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html) ?? [];
    return `'sha256-${createHash("sha256")
      .update(text ?? "")
      .digest("base64")}'`;
  });
  return [
    "default-src 'none'",
    `script-src ${script}`,
    `style-src ${style}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** @param {string} path  of an address or a file */
const isFrame = (path) => /(^|\/)frame\/(index\.html)?$/.test(path);

/** The pages that open models, and their worker. */
const OPENING =
  /^\/?(index\.html)?$|(^|\/)(explorer\/(index\.html)?|lessons\/trained-table\/(index\.html)?|assets\/models-worker-[^/]*\.js)$/;

/** The policy within a page, for hosts that send no headers. @param {string} path */
export function policyFor(path) {
  if (isFrame(path)) return framePolicy;
  return reading(...(OPENING.test(path) ? HUBS : []), ...(isWriting(path) ? PYTHON : []));
}

/** Whether it is a lesson with a task. @param {string} path */
function isWriting(path) {
  const [, name] = /(?:^|\/)lessons\/([^/]+)\/(?:index\.html)?$/.exec(path) ?? [];
  return tasks.some(({ lesson }) => lesson === name);
}

/** The policy in a server's header: only a header can sandbox a document. @param {string} path */
export const headerFor = (path) =>
  isFrame(path) ? `sandbox allow-scripts; ${framePolicy}` : policyFor(path);
