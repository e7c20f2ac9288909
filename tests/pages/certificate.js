// A certificate that signs itself, made for one run, for pages that accept any.

import { generateKeyPairSync, sign } from "node:crypto";

/** A value in DER. @param {number} tag @param {...(Uint8Array | readonly number[])} parts */
function der(tag, ...parts) {
  const body = Buffer.concat(parts.map((part) => Uint8Array.from(part)));
  const bytes = body.length < 256 ? [body.length] : [body.length >> 8, body.length & 255];
  const size = body.length < 128 ? bytes : [0x80 + bytes.length, ...bytes]; // as short as possible, or browsers refuse it
  return Buffer.concat([Uint8Array.of(tag, ...size), body]);
}

const text = (/** @type {string} */ letters) => Buffer.from(letters, "latin1");
const [SEQUENCE, SET, INTEGER, BITS, OID, UTF8, TIME, VERSION] = [48, 49, 2, 3, 6, 12, 23, 160];

/** ecdsa-with-SHA256 */
const ALGORITHM = der(SEQUENCE, der(OID, [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]));

/** A key and its certificate. */
export function selfSigned() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const common = der(SEQUENCE, der(OID, [0x55, 4, 3]), der(UTF8, text("test")));
  const name = der(SEQUENCE, der(SET, common));
  const times = [der(TIME, text("250101000000Z")), der(TIME, text("491231235959Z"))];
  const facts = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, [2])),
    der(INTEGER, [1]),
    ALGORITHM,
    name,
    der(SEQUENCE, ...times),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(BITS, [0], sign("sha256", facts, privateKey));
  const body = der(SEQUENCE, facts, ALGORITHM, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}
