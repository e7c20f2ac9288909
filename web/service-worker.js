// Lets every page work without a network after the first visit. The build writes three constants
// above these lines: VERSION, its fingerprint; FILES, the digest of each by its address from here; FRAME_POLICY.

/* global VERSION, FILES, FRAME_POLICY */

/**
 * @typedef {Event & {waitUntil(work: Promise<unknown>): void}} LifeEvent
 * @typedef {LifeEvent & {request: Request, respondWith(answer: Promise<Response>): void}} FetchEvent
 */

const root = new URL("./", location.href).href;
const prefix = `phasor ${new URL(root).pathname} `; // a host may have other sites, with other caches
const current = `${prefix}${VERSION}`;
const known = new Map(
  Object.entries(FILES).map(([file, digest]) => [new URL(file, root).href, digest]),
);

addEventListener("install", (event) => {
  /** @type {LifeEvent} */ (event).waitUntil(keepAll());
});

addEventListener("activate", (event) => {
  /** @type {LifeEvent} */ (event).waitUntil(forgetOthers());
});

addEventListener("fetch", (given) => {
  const event = /** @type {FetchEvent} */ (given);
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(root)) return;
  const address = addressOf(request.url);
  event.respondWith(address.endsWith("/") ? page(request, address) : file(request, address));
});

/**
 * Every file of this version, as the build made it: an answer of another, as of a portal that wants a login first, has
 * another digest, and then nothing is installed. A file with a hash in its name may come from the version before.
 */
async function keepAll() {
  const cache = await caches.open(current);
  await Promise.all(
    Array.from(known, async ([address, integrity]) => {
      const before = isHashed(address) ? await caches.match(address) : undefined;
      await (before
        ? cache.put(address, before)
        : cache.add(new Request(address, { cache: "no-cache", integrity })));
    }),
  );
}

async function forgetOthers() {
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && name !== current) await caches.delete(name);
  }
  await /** @type {any} */ (globalThis).clients.claim(); // the page of the first visit too
}

/** The newest page there is, or the one kept. @param {Request} request @param {string} address */
async function page(request, address) {
  let answer;
  try {
    answer = await fetch(request);
  } catch (error) {
    answer = (await kept(address)) ?? (await kept(`${root}404.html`));
    if (!answer) throw error;
  }
  return address === `${root}frame/` ? sandboxed(answer) : answer;
}

/** @param {Request} request @param {string} address */
async function file(request, address) {
  const answer = await kept(address);
  if (answer) return part(request, answer);
  if (request.mode === "navigate" && known.has(`${address}/`)) {
    return Response.redirect(`${address}/`);
  }
  return fetch(request);
}

/** The range of a file that a request asks for, as a host would answer it. @param {Request} request @param {Response} answer */
async function part(request, answer) {
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("Range") ?? "");
  if (!range) return answer;
  const whole = await answer.blob();
  const [begin, end] = [Number(range[1]), Math.min(Number(range[2]) + 1, whole.size)];
  if (begin >= end) return new Response(null, { status: 416 });
  const headers = new Headers(answer.headers);
  headers.delete("Content-Encoding");
  headers.set("Content-Range", `bytes ${begin}-${end - 1}/${whole.size}`);
  headers.set("Content-Length", String(end - begin));
  return new Response(whole.slice(begin, end), { status: 206, headers });
}

/** @param {string} address */
async function kept(address) {
  const cache = await caches.open(current);
  return cache.match(address, { ignoreVary: true });
}

/**
 * The frame for readers' programs, with the header that puts it into its sandbox. Browsers ask no
 * service worker for a frame that has the attribute `sandbox`, so that without a network this header
 * stands in for it.
 *
 * @param {Response} answer
 */
function sandboxed(answer) {
  const headers = new Headers(answer.headers);
  headers.set("Content-Security-Policy", FRAME_POLICY);
  return new Response(answer.body, { status: answer.status, headers });
}

/** Without what does not choose a file; a folder for its index.html. @param {string} url */
function addressOf(url) {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/index\.html$/, "/");
}

/** @param {string} address */
function isHashed(address) {
  return address.startsWith(`${root}assets/`);
}
