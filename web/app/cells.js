// The computations of a page, as the cells of a spreadsheet: a cell is computed again only when a value that it has
// read changes.

/** @import { Values } from "./controls.js" */
import { busy } from "./busy.js";

/** Milliseconds of work after which the page handles events before it continues. */
const SLICE = 8;

/**
 * @typedef {object} Cell
 * @property {boolean} stale
 * @property {boolean} pending  its promise has not settled
 * @property {Set<string>} [uses]  the names of the values that it has read; undefined before its first run
 * @property {Error} [error]  of the last run
 * @property {HTMLElement | null} place  for errors that name no control
 * @property {() => void} run
 */

/**
 * @param {Values} controls  read as `name`
 * @param {Values} made  the results of the page; read as `made.name`
 * @param {(cells: readonly Cell[]) => void} settled  called when every cell is up to date
 */
export function cells(controls, made, settled) {
  /** @type {Cell[]} */
  const all = [];
  let begun = false;
  let running = false;
  let isBusy = false;
  /** Waiting until every cell is up to date. @type {(() => void)[]} */
  const waiting = [];

  /** Computes the stale cells in the order of the page, a time slice after another. */
  async function run() {
    running = true;
    let since = performance.now();
    for (let cell = all.find(isReady); cell; cell = all.find(isReady)) {
      cell.run();
      if (performance.now() - since > SLICE) {
        await pause();
        since = performance.now();
      }
    }
    running = false;
    settle();
  }

  const isOpen = () => running || all.some(({ stale, pending }) => stale || pending);

  function settle() {
    if (isOpen()) return;
    settled(all);
    if (isBusy) busy(-1);
    isBusy = false;
    for (const go of waiting.splice(0)) go();
  }

  /** Runs the stale cells before the next frame. */
  function schedule() {
    if (!begun || running || !all.some(isReady)) return;
    running = true;
    if (!isBusy) busy(1);
    isBusy = true;
    requestAnimationFrame(run);
  }

  /**
   * Adds a cell. While its promise is pending, it is not started again; if it becomes stale meanwhile,
   * its result is dropped.
   *
   * @template Result
   * @param {(controls: Values, made: Values) => Result | Promise<Result>} compute
   * @param {(result: Result) => void} put  shows the result
   * @param {HTMLElement | null} [place]
   */
  function add(compute, put, place = null) {
    /** @type {Cell} */
    const cell = { stale: true, pending: false, place, run: start };
    function start() {
      /** @type {Set<string>} */
      const uses = new Set();
      Object.assign(cell, { stale: false, uses, error: undefined });
      attempt(cell, () => {
        const read = () => compute(noting(controls, uses), noting(made, uses, "made."));
        const result = whenThere(read);
        if (!(result instanceof Promise)) return put(result);
        cell.pending = true;
        result
          .then(
            (value) => cell.stale || attempt(cell, () => put(value)),
            (error) => fail(cell, error),
          )
          .finally(finish);
      });
    }
    function finish() {
      cell.pending = false;
      if (cell.stale) schedule();
      else settle();
    }
    all.push(cell);
    schedule();
  }

  return {
    add,

    /** Marks the cells as stale that have read one of these. @param {readonly string[]} names */
    touch(names) {
      for (const cell of all) {
        if (names.some((name) => cell.uses?.has(name))) cell.stale = true;
      }
      schedule();
    },

    /** What the cells of a place have read. @param {HTMLElement} place @returns {ReadonlySet<string>} */
    usesOf(place) {
      return new Set(all.flatMap((cell) => (cell.place === place ? [...(cell.uses ?? [])] : [])));
    },

    /** Runs all cells for the first time. */
    begin() {
      begun = true;
      isBusy = true;
      busy(1);
      return run();
    },

    /** Waits until every cell is up to date. @returns {Promise<void>} */
    settled: () => (isOpen() ? new Promise((go) => waiting.push(go)) : Promise.resolve()),
  };
}

/**
 * Computes. What throws a promise has read a value that comes later (`comes` in page.js), and is computed again then.
 *
 * @template Result
 * @param {() => Result | Promise<Result>} compute
 * @returns {Result | Promise<Result>}
 */
export function whenThere(compute) {
  /** @param {unknown} error @returns {Promise<Result>} */
  const again = (error) => {
    if (!(error instanceof Promise)) throw error;
    return error.then(() => whenThere(compute));
  };
  try {
    const result = compute();
    return result instanceof Promise ? result.catch(again) : result;
  } catch (error) {
    return again(error);
  }
}

/** @param {Cell} cell @param {() => void} work */
function attempt(cell, work) {
  try {
    work();
  } catch (error) {
    fail(cell, error);
  }
}

/** @param {Cell} cell @param {unknown} error */
function fail(cell, error) {
  if (/** @type {Error} */ (error).name !== "AbortError") cell.error = /** @type {Error} */ (error);
}

/** @param {Cell} cell */
const isReady = ({ stale, pending }) => stale && !pending;

/**
 * Wraps values and records which of them are read.
 * @param {Values} values @param {Set<string>} uses @param {string} [prefix]
 */
export function noting(values, uses, prefix = "") {
  return new Proxy(values, {
    get(target, name) {
      uses.add(`${prefix}${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** Lets the browser handle events. */
function pause() {
  const { scheduler } = /** @type {any} */ (globalThis);
  return scheduler?.yield?.() ?? new Promise((next) => setTimeout(next));
}
