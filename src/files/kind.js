/**
 * Names what a file is that a reader cannot read: the usual results of a download that went wrong.
 */

/** The first bytes of other files, as Latin-1, and what the reader's message says of them. @type {readonly (readonly [RegExp, string])[]} */
const KINDS = Object.freeze([
  [
    /^version https:\/\/git-lfs/,
    "a Git LFS pointer, which names a file that was not downloaded (run: git lfs pull)",
  ],
  [
    /^(\xef\xbb\xbf)?\s*<(!doctype html|html|head|body)\b/i,
    "an HTML page (the address of a page was saved, not that of the file)",
  ],
  // eslint-disable-next-line no-control-regex
  [/^\x1f\x8b/, "a gzip file (run: gunzip)"],
]);

/** As many bytes as are needed to know one of them. */
export const KIND_BYTES = 64;

/**
 * Says what a file is that is not of the expected format.
 *
 * @param {Uint8Array} start  its first `KIND_BYTES` bytes, or all of a shorter file
 * @returns {string | undefined} undefined if that is not known
 */
export function kindOf(start) {
  if (start.length === 0) return "an empty file";
  const text = String.fromCharCode(...start.subarray(0, KIND_BYTES));
  return KINDS.find(([begin]) => begin.test(text))?.[1];
}

/**
 * What a file is instead of the expected format, for messages.
 *
 * @param {import("./bytes.js").Bytes["read"]} read @param {number} size  of the file
 * @param {unknown} otherwise  for files of unknown formats
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>}
 */
export async function kindOr(read, size, otherwise, signal) {
  return kindOf(await read(0, Math.min(size, KIND_BYTES), { signal })) ?? otherwise;
}
