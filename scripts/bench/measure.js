// Times contestants of one job side by side. This machine may be shared, so only ratios within one
// run mean anything: every round gives each contestant a turn, in an order drawn afresh.

/**
 * One way to do a row's job.
 *
 * @typedef {object} Contestant
 * @property {string} name
 * @property {(turn: number) => unknown} run does the job once; a promise is awaited. `turn` counts
 *   on, so that a contestant can go round its buffers
 * @property {() => Promise<Float32Array[]> | Float32Array[]} [result] what `run(0)` made
 * @property {boolean} [limit] whether it does less than the job: what the machine can do
 * @property {number} [tolerance] how far the result may be from the row's expectation
 */

/**
 * @typedef {object} Timing
 * @property {number} median milliseconds of one run
 * @property {number} spread interquartile range, as a part of the median
 * @property {number} least milliseconds of the shortest run
 */

/** Shortest time worth reading off the clock, in milliseconds; shorter jobs take several turns. */
const SAMPLE = 8;

/**
 * Time for the engine to compile a contestant's code, in milliseconds: it is over when so long no turn was faster than
 * all before. On a busy machine the compiler's own thread waits, and code stays slow for long.
 */
const WARM_UP = { least: 250, most: 4000 };

/**
 * @param {Contestant[]} contestants
 * @param {number} rounds
 * @returns {Promise<Timing[]>} in the same order
 */
export async function race(contestants, rounds) {
  const runners = contestants.map(({ run }) => ({
    run,
    turn: 0, // how many it has had
    turns: 1, // how many make a sample
    times: /** @type {number[]} */ ([]),
  }));
  /** @param {typeof runners[number]} runner @param {number} turns */
  const sample = async (runner, turns) => {
    const start = performance.now();
    for (let i = 0; i < turns; ++i) {
      const pending = runner.run(runner.turn++);
      if (pending instanceof Promise) await pending;
    }
    return (performance.now() - start) / turns;
  };

  for (const runner of runners) {
    let fastest = Infinity;
    let until = WARM_UP.least;
    for (let spent = 0, turn = 0; turn < 3 || spent < Math.min(until, WARM_UP.most); ++turn) {
      const time = await sample(runner, 1);
      spent += time;
      if (time < 0.95 * fastest) until = spent + WARM_UP.least;
      fastest = Math.min(fastest, time);
    }
    runner.turns = Math.ceil(SAMPLE / fastest);
  }

  const random = uniform(1);
  for (let round = 0; round < rounds; ++round) {
    for (const runner of shuffled(runners, random)) {
      // One turn that does not count: the engine may still be freeing what the one before left.
      if (runner.turns > 1) await sample(runner, 1);
      runner.times.push(await sample(runner, runner.turns));
    }
  }
  return runners.map(({ times }) => {
    const median = quantile(times, 0.5);
    const spread = (quantile(times, 0.75) - quantile(times, 0.25)) / median;
    return { median, spread, least: Math.min(...times) };
  });
}

/** @param {number[]} values @param {number} part */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const below = sorted[Math.floor(at)];
  return below + (sorted[Math.ceil(at)] - below) * (at % 1);
}

/**
 * Numbers of [0, 1), the same for the same seed.
 * @param {number} seed
 */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0; // mulberry32
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @template Item
 * @param {readonly Item[]} items @param {() => number} random
 */
function shuffled(items, random) {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; --i) {
    const j = Math.floor(random() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
  }
  return mixed;
}
