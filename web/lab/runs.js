// Trains in several workers, a few steps at a time, so that a run can be stopped between two of them and can go on.

/** @import { SchemeName, Setup } from "./setup.js" */
/** @import { Jobs } from "../app/lab-worker.js" */
import { taskWorker } from "../app/work.js";
import { lengthsOf } from "./setup.js";

/** Steps between two reports, and tests before the last one. */
const CHUNK = 10;
const TRIALS = 6;

/** Tokens of a test while a model trains, and of the last one, which the record has too. */
const FEW = 1024;
export const ALL = 16384;

/** What the tests after a training cost, in steps: measured with the sizes of the record. */
const TESTS = 80;

/** Workers: as many as the processor may run beside the page. */
const LANES = Math.min(4, Math.max(1, navigator.hardwareConcurrency || 2));

/**
 * One training.
 * @typedef {object} Run
 * @property {number} id @property {SchemeName} scheme @property {number} seed
 * @property {"waits" | "trains" | "done" | "failed"} state
 * @property {number[]} losses  by step
 * @property {{loss: number, accuracy: number}[]} tests  at each length
 * @property {boolean} isFinal  whether the tests are those after the training
 * @property {Float32Array} [byPosition] @property {Float32Array} [byDistance]
 * @property {number} [parameters] @property {string} [bits] @property {string} [error]
 * @property {{work: ReturnType<typeof taskWorker<Jobs>>["work"]}} [worker]
 */

/** A run of the page: one training for each scheme and seed. */
export class Runs {
  /** @type {ReturnType<typeof taskWorker<Jobs>>[]} */
  #workers = [];
  #ids = 0;
  /** Counts the calls of `begin`: what an earlier one does is dropped. */
  #round = 0;
  /** Resolved while the run goes on. @type {Promise<void> | undefined} */
  #gate;
  /** @type {() => void} */
  #open = () => {};

  /** @type {Run[]} */
  all = [];
  /** @type {"rests" | "goes" | "stopped" | "done"} */
  state = "rests";
  /** What is trained; its readings may change. @type {Setup | undefined} */
  setup;

  /** @param {(run: Run | undefined) => void} changed  called when a training, or the whole, has changed */
  constructor(changed) {
    this.changed = changed;
  }

  /** @param {number} lane */
  #worker(lane) {
    return (this.#workers[lane] ??= /** @type {any} */ (taskWorker("lab")));
  }

  /**
   * The milliseconds of a step of this device.
   * @param {Setup} setup  of a task without a text
   */
  async measure(setup) {
    const { work } = this.#worker(0);
    const id = ++this.#ids;
    await work("begin", { id, setup, position: { scheme: "rope" }, seed: 1, corpus: "" });
    await work("train", { id, steps: 1 });
    const { milliseconds } = await work("train", { id, steps: 3 });
    await work("drop", { id });
    return milliseconds / 3;
  }

  /** Seconds that trainings take. @param {number} milliseconds  of a step @param {Setup} setup @param {number} count */
  secondsOf(milliseconds, { steps }, count) {
    return (milliseconds * (steps + TESTS) * count) / Math.min(LANES, count) / 1000;
  }

  /**
   * Trains; ends when all trainings have.
   * @param {Setup} setup @param {{scheme: SchemeName, position: object, seed: number}[]} wanted @param {string} corpus
   */
  async begin(setup, wanted, corpus) {
    this.clear();
    this.setup = setup;
    const round = this.#round;
    const runs = wanted.map(({ scheme, seed, position }) => {
      /** @type {Run} */
      const run = {
        id: ++this.#ids,
        scheme,
        seed,
        state: "waits",
        losses: [],
        tests: [],
        isFinal: false,
      };
      return { run, position };
    });
    this.all = runs.map(({ run }) => run);
    this.#set("goes");
    const waiting = [...runs];
    const lane = async (/** @type {number} */ at) => {
      const worker = this.#worker(at);
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { run, position } = next;
        try {
          await this.#make(worker, run, { position, corpus, round });
        } catch (error) {
          if (round !== this.#round) return;
          Object.assign(run, { state: "failed", error: /** @type {Error} */ (error).message });
          this.changed(run);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(LANES, runs.length) }, (_, at) => lane(at)));
    if (round === this.#round) this.#set("done");
  }

  /** Tests what is trained in another way. @param {Setup} setup  that differs in how it is read alone */
  async read(setup) {
    this.setup = setup;
    const round = this.#round;
    const isLate = () => round !== this.#round || setup !== this.setup;
    await Promise.all(
      this.all.map(async (run) => {
        if (run.state !== "done") return; // its last tests are still to come
        await this.#test(run, ALL, async () => isLate() || undefined).catch(() => {});
        if (!isLate()) this.changed(run);
      }),
    );
  }

  /**
   * @param {Run} run @param {number} tokens
   * @param {() => Promise<boolean | void>} before  each test: true stops them
   * @returns {Promise<void>}
   */
  async #test(run, tokens, before) {
    const { id, scheme, worker } = run;
    const setup = /** @type {Setup} */ (this.setup);
    const { reading, temperature } = setup;
    const tests = [];
    for (const length of lengthsOf(setup)) {
      if ((await before()) || !worker) return;
      tests.push(await worker.work("test", { id, length, tokens, scheme, reading, temperature }));
    }
    if (setup !== this.setup) return this.#test(run, tokens, before); // changed meanwhile
    const { byPosition, byDistance } = tests[tests.length - 1];
    Object.assign(run, { tests, byPosition, byDistance, isFinal: tokens === ALL });
  }

  /**
   * @param {ReturnType<typeof taskWorker<Jobs>>} worker @param {Run} run
   * @param {{position: object, corpus: string, round: number}} how
   */
  async #make({ work }, run, { position, corpus, round }) {
    const { id, seed } = run;
    const setup = /** @type {Setup} */ (this.setup);
    const on = async () => {
      await this.#gate;
      if (round !== this.#round) throw new DOMException("another run has begun", "AbortError");
    };
    const tell = () => round === this.#round && this.changed(run);

    await on();
    const { parameters } = await work("begin", { id, setup, position, seed, corpus });
    Object.assign(run, { worker: { work }, parameters, state: "trains" });
    let tried = 0;
    while (run.losses.length < setup.steps) {
      await on();
      const steps = Math.min(CHUNK, setup.steps - run.losses.length);
      run.losses.push(...(await work("train", { id, steps })).losses);
      const share = Math.floor((run.losses.length * TRIALS) / setup.steps);
      if (share > tried && share < TRIALS) await this.#test(run, FEW, on);
      tried = share;
      tell();
    }
    await this.#test(run, ALL, on);
    run.bits = await work("bits", { id });
    run.state = "done";
    tell();
  }

  stop() {
    this.#gate = new Promise((open) => (this.#open = open));
    this.#set("stopped");
  }

  goOn() {
    this.#gate = undefined;
    this.#open();
    this.#set("goes");
  }

  /** Forgets all trainings. */
  clear() {
    this.#round += 1;
    this.#gate = undefined;
    this.#open();
    for (const { worker, id } of this.all) worker?.work("drop", { id }).catch(() => {});
    this.all = [];
    this.setup = undefined;
    this.#set("rests");
  }

  /** @param {Runs["state"]} state */
  #set(state) {
    this.state = state;
    this.changed(undefined);
  }
}
