/**
 * A file of this site whose parts are read when they are needed: a source for `safetensors.read`. A host
 * that does not answer ranges sends the whole file once.
 *
 * @param {string} url
 * @param {number} first  the bytes of the first request, which are kept
 * @returns {Promise<{size: number, slice: (begin: number, end: number) => {arrayBuffer: () => Promise<ArrayBuffer>}}>}
 * @throws {Error} if the file cannot be read
 */
export async function ranged(url, first) {
  const response = await part(url, 0, first);
  const start = await response.blob();
  if (response.status !== 206) return start;
  const size = Number(response.headers.get("content-range")?.split("/")[1]);
  return {
    size,
    slice: (begin, end) => ({
      async arrayBuffer() {
        if (end <= start.size) return start.slice(begin, end).arrayBuffer();
        const response = await part(url, begin, end);
        if (response.status === 206) return response.arrayBuffer();
        return (await response.blob()).slice(begin, end).arrayBuffer();
      },
    }),
  };
}

/** @param {string} url @param {number} begin @param {number} end */
async function part(url, begin, end) {
  return fetched(url, { headers: { Range: `bytes=${begin}-${end - 1}` } });
}

/** @param {string} url @param {RequestInit} [init] */
export async function fetched(url, init) {
  const response = await fetch(url, init);
  if (!response.ok) {
    throw new Error(`The word vectors could not be read: ${response.status} at ${url}`);
  }
  return response;
}
