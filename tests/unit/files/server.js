// A server on this machine that knows what it was asked for and what it is still sending.

import { createServer } from "node:http";

/**
 * @typedef {import("node:http").IncomingMessage} Request
 * @typedef {import("node:http").ServerResponse} Response
 */

/**
 * @param {(request: Request, response: Response) => void} answer
 */
export async function listen(answer) {
  let open = 0;
  const server = createServer((request, response) => {
    ++open;
    response.once("close", () => --open);
    answer(request, response);
  });
  server.keepAliveTimeout = 0; // a busy process must not find its idle connections closed
  await /** @type {Promise<void>} */ (
    new Promise((listening) => server.listen(0, "127.0.0.1", listening))
  );
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    /** Answers that have begun and not ended. */
    open: () => open,
    close: () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  };
}

/**
 * What a Range header asks for of a file: the bytes begin to end - 1, or undefined if it has none of
 * them; the whole file where there is no such header.
 *
 * @param {Request} request @param {number} size
 */
export function rangeOf({ headers }, size) {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "") ?? [];
  if (first === undefined) return { begin: 0, end: size };
  const end = Math.min(last === "" ? size : Number(last) + 1, size);
  return Number(first) < end ? { begin: Number(first), end } : undefined;
}
