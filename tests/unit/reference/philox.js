/**
 * Philox4x32-10 (Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3, section 3.3) and
 * the weights that are drawn from it.
 */
const MASK = 0xffffffffn;
const FACTORS = [0xd2511f53n, 0xcd9e8d57n];
const WEYL = [0x9e3779b9n, 0xbb67ae85n];

/**
 * @param {bigint} counter @param {bigint} key
 * @returns {number[]} four words of 32 bits
 */
export function block(counter, key) {
  let [a, b, c, d] = [0n, 32n, 64n, 96n].map((shift) => (counter >> shift) & MASK);
  let [k0, k1] = [key & MASK, (key >> 32n) & MASK];
  for (let round = 0; round < 10; ++round) {
    const [first, second] = [FACTORS[0] * a, FACTORS[1] * c];
    [a, b, c, d] = [(second >> 32n) ^ b ^ k0, second & MASK, (first >> 32n) ^ d ^ k1, first & MASK];
    [k0, k1] = [(k0 + WEYL[0]) & MASK, (k1 + WEYL[1]) & MASK];
  }
  return [a, b, c, d].map(Number);
}

/** Element n of the uniform stream on [0, 1). @param {bigint} n @param {bigint} seed */
export function uniform(n, seed) {
  return block(n / 4n, seed)[Number(n % 4n)] / 2 ** 32;
}

/** Element n of the standard normal stream (Box and Muller 1958). @param {bigint} n @param {bigint} seed */
export function normal(n, seed) {
  const place = Number(n % 4n);
  const words = block(n / 4n, seed);
  const [u, v] = place < 2 ? words.slice(0, 2) : words.slice(2);
  const radius = Math.sqrt(-2 * Math.log((u + 0.5) / 2 ** 32));
  const angle = (2 * Math.PI * v) / 2 ** 32;
  return radius * (place % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
}
