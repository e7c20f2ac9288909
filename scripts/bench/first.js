// A fresh process: node scripts/bench/first.js phasor|plain|jax-js URL
// Prints the milliseconds from before `import` to the first table of 512 x 512, and the further
// ones of the first table of 4096 x 768.

const [who, entry] = process.argv.slice(2);

/** @type {Record<string, () => Promise<(T: number, D: number) => unknown>>} */
const ways = {
  async phasor() {
    const { load } = await import(entry);
    const { sinusoidal } = await load();
    return (T, D) => sinusoidal.table(T, D);
  },
  async plain() {
    const { frequencies, sinusoidal } = await import("./plain.js");
    return (T, D) => sinusoidal(T, frequencies(D / 2), new Float32Array(T * D));
  },
  async "jax-js"() {
    const { firstTable } = await import("./jax.js");
    return firstTable;
  },
};

const start = performance.now();
const table = await ways[who]();
await table(512, 512);
const small = performance.now();
await table(4096, 768);
console.log(JSON.stringify({ small: small - start, large: performance.now() - small }));
