// node --import: what a build asks of the network is answered out of node_modules. The folders that
// have them come in PHASOR_SHELVES, as JSON.

import { cdn } from "../../../pages/cdn.js";

const { answer } = cdn(JSON.parse(process.env.PHASOR_SHELVES ?? "[]"));

globalThis.fetch = async (/** @type {unknown} */ input) => {
  const { status, type, body } = await answer(String(input));
  return new Response(new Uint8Array(body), { status, headers: { "content-type": type } });
};
