// What a page computes, as the cells of a spreadsheet: each is made anew only when something that it
// read the last time has changed.

/** @import { Values } from "./controls.js" */

/** Milliseconds of work after which the page answers its reader before it goes on. */
const PATIENCE = 8;

/**
 * @typedef {object} Cell
 * @property {boolean} stale
 * @property {Set<string> | undefined} uses  names of what it read; undefined while that is not known
 * @property {Error | undefined} error  of the last time
 * @property {HTMLElement | null} place  where an error is told that no control has caused
 * @property {() => Promise<void>} run
 */

/**
 * @param {Values} controls  read as `name`
 * @param {Values} made  by the page's long work; read as `made.name`
 * @param {(cells: readonly Cell[]) => void} rested  nothing is stale any more, for now
 */
export function cells(controls, made, rested) {
  /** @type {Cell[]} */
  const all = [];
  let running = true; // until `begin`

  /** Make what is stale anew, in the page's order, a little at a time. */
  async function run() {
    running = true;
    let since = performance.now();
    for (let cell = all.find(isStale); cell; cell = all.find(isStale)) {
      cell.stale = false;
      await cell.run();
      if (performance.now() - since > PATIENCE) {
        await pause();
        since = performance.now();
      }
    }
    running = false;
    rested(all);
  }

  return {
    /**
     * @template Result
     * @param {(controls: Values, made: Values) => Result | Promise<Result>} compute
     * @param {(result: Result) => void} put  on the page
     * @param {HTMLElement | null} place
     */
    add(compute, put, place) {
      /** @type {Cell} */
      const cell = {
        stale: true,
        uses: undefined,
        error: undefined,
        place,
        async run() {
          /** @type {Set<string>} */
          const uses = new Set();
          cell.uses = undefined;
          cell.error = undefined;
          try {
            const given = compute(noting(controls, uses), noting(made, uses, "made."));
            put(given instanceof Promise ? await given : given);
          } catch (error) {
            cell.error = /** @type {Error} */ (error);
          }
          cell.uses = uses;
        },
      };
      all.push(cell);
    },

    /** Whatever has read one of these is stale. @param {readonly string[]} names */
    touch(names) {
      for (const cell of all) {
        if (!cell.uses || names.some((name) => cell.uses?.has(name))) cell.stale = true;
      }
      if (running || !all.some(isStale)) return;
      running = true;
      requestAnimationFrame(run);
    },

    /** The first time. */
    begin: run,

    get settled() {
      return !running && !all.some(isStale);
    },
  };
}

/** @param {Cell} cell */
const isStale = (cell) => cell.stale;

/**
 * Values that note which of them are read.
 * @param {Values} of @param {Set<string>} uses @param {string} [prefix]
 */
export function noting(of, uses, prefix = "") {
  return new Proxy(of, {
    get(target, name) {
      uses.add(`${prefix}${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** Let the browser do what waits: what the reader does comes first. */
function pause() {
  const { scheduler } = /** @type {any} */ (globalThis);
  return scheduler?.yield?.() ?? new Promise((next) => setTimeout(next));
}
