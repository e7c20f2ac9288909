import { createHash } from "node:crypto";
import { partsOf } from "./parts.js";

/**
 * A digest of a result: of the names, numbers and bytes in it, each with its type.
 * @param {unknown} result
 */
export function fingerprint(result) {
  const hash = createHash("sha256");
  partsOf(result, (part) => hash.update(part));
  return hash.digest("hex");
}
