// A fresh process: node scripts/bench/first.js phasor|sinusoidal|external|plain|jax-js|fill URL
// Prints the milliseconds of each step, one after the other: `import`, what the module then has to load, the first
// table of 512 x 512, and the first one of 4096 x 768.

const [who, entry] = process.argv.slice(2);

/** @typedef {(T: number, D: number) => unknown} Table */

/** What is imported; it returns what is loaded. @type {Record<string, () => Promise<() => Promise<Table>>>} */
const ways = {
  phasor: () => entryOf(entry),
  sinusoidal: () => entryOf(new URL("sinusoidal.js", entry).href),
  external: () => entryOf(new URL("external.js", entry).href),
  async plain() {
    const { frequencies, sinusoidalByAddition } = await import("./plain.js");
    return async () => (T, D) =>
      sinusoidalByAddition(T, frequencies(D / 2), new Float32Array(T * D));
  },
  async "jax-js"() {
    const { firstTable } = await import("./jax.js");
    return async () => firstTable;
  },
  fill: async () => async () => (T, D) => new Float32Array(T * D).fill(1),
};

/** An entry of the package. @param {string} url */
async function entryOf(url) {
  const { load } = await import(url);
  return async () => {
    const { sinusoidal } = await load();
    return (/** @type {number} */ T, /** @type {number} */ D) => sinusoidal.table(T, D);
  };
}

const times = [performance.now()];
const begin = await ways[who]();
times.push(performance.now());
const table = await begin();
times.push(performance.now());
await table(512, 512);
times.push(performance.now());
await table(4096, 768);
times.push(performance.now());
const [imported, loaded, small, large] = times.slice(1).map((time, i) => time - times[i]);
console.log(JSON.stringify({ imported, loaded, small, large }));
