/** The link to a worker: its port, the requests that it has not answered, and how another one replaces it. */
import { CoreError, DisposedError, LoadError } from "../runtime/errors.js";
import { unpackError } from "../runtime/packed.js";
import { handled, listen } from "../runtime/threads.js";

/** @import { Home } from "./home.js" */
/** @import { Place } from "./arguments.js" */
/** @import { Node } from "./wire.js" */

/**
 * A request that the worker has not answered yet.
 * @typedef {object} Call
 * @property {(answer: any) => void} answer
 * @property {(reason: unknown) => void} reject
 * @property {() => void} heard  stops listening to the signal of the request
 * @property {Place} [of]  the object of the request, kept until the answer
 */

/**
 * @typedef {object} Answer
 * @property {any} [error]
 * @property {Node} result
 * @property {any[]} outs  what the worker filled; undefined for what lies in shared memory
 */

/** Ends a connection; the reason rejects pending and later calls. @typedef {(reason: unknown) => Promise<void>} End */

/** How long a worker whose port has closed may take to say why. ms */
const GRACE = 100;

/**
 * The calls that wait for a signal, which has one listener for all: Node warns of more than ten.
 * @type {WeakMap<AbortSignal, {aborts: Set<() => void>, fire: () => void}>}
 */
const waiting = new WeakMap();

/** @param {AbortSignal} signal @param {() => void} abort @returns {() => void} stops waiting */
function whenAborted(signal, abort) {
  const known = waiting.get(signal);
  const aborts = known?.aborts ?? new Set();
  const fire = known?.fire ?? (() => [...aborts].forEach((each) => each()));
  aborts.add(abort);
  if (!known) {
    waiting.set(signal, { aborts, fire });
    signal.addEventListener("abort", fire, { once: true });
  }
  return () => {
    aborts.delete(abort);
    if (aborts.size > 0) return;
    signal.removeEventListener("abort", fire);
    waiting.delete(signal);
  };
}

/** Throws the error of an answer, if it has one. @param {Answer} answer */
const refuse = ({ error }) => {
  if (error) throw unpackError(error);
};

export class Link {
  /** The numbers of the objects that the worker keeps for this thread. @type {Set<number>} */
  kept = new Set();
  /** @type {Map<number, Call>} */
  #calls = new Map();
  #last = 0;
  /** The largest number of a module, once phasor has started; those of other objects are larger. */
  #modules = 0;
  /** Until a worker has replaced another. @type {Promise<void> | undefined} */
  #renewal;
  /** @type {{reason: unknown} | undefined} */
  #over;
  /** @type {MessagePort | undefined} */
  #port;

  /**
   * @param {Home} home
   * @param {unknown} wasm  as `load` takes it
   * @param {Set<End>} together  ends the connections of one pool: when one of its workers fails, all end
   */
  constructor(home, wasm, together) {
    this.home = home;
    this.wasm = wasm;
    this.together = together;
    together.add(this.end);
  }

  /** @type {End} */
  end = async (reason) => {
    if (this.#over) return;
    this.#over = { reason };
    this.together.delete(this.end);
    for (const { reject } of this.#calls.values()) reject(reason);
    this.#calls.clear();
    this.#port?.close();
    if (this.home.isOurs) await this.home.worker.terminate();
  };

  /** @param {string} [why] @param {unknown} [cause] */
  #stop(why = "it was ended", cause) {
    const reason = this.#modules
      ? new CoreError(`the worker stopped: ${why}; call load() for a fresh one`, { cause })
      : this.home.refusal(why, cause);
    if (!this.#over) for (const each of this.together) void each(reason);
  }

  /** Runs after each request and answer: Node waits for answers, but not for an idle worker. */
  #settle() {
    if (this.#over) return; // an answer that was under way; Node must wait for the end of the worker
    const hold = this.#calls.size > 0 ? "ref" : "unref";
    const { isOurs, worker } = this.home;
    const all = isOurs ? [this.#port, worker] : [this.#port];
    for (const each of all) /** @type {any} */ (each)[hold]?.();
    if (this.#modules && this.#calls.size + this.kept.size === 0) {
      void this.end(new DisposedError("phasor"));
    }
  }

  /**
   * @template Value
   * @param {object} question @param {Iterable<Transferable>} moved
   * @param {(answer: Answer) => Value} read
   * @param {{of?: Place, signal?: AbortSignal}} [how]
   * @returns {Promise<Value>}
   */
  async ask(question, moved, read, { of, signal } = {}) {
    if (this.#renewal) await this.#renewal;
    return this.#post(this.#port, ++this.#last, question, moved, read, of, signal);
  }

  /**
   * @template Value
   * @param {any} to  the port, or the worker itself @param {number} id
   * @param {object} question @param {Iterable<Transferable>} moved
   * @param {(answer: Answer) => Value} read @param {Place} [of] @param {AbortSignal} [signal]
   * @returns {Promise<Value>}
   */
  #post(to, id, question, moved, read, of, signal) {
    return new Promise((resolve, reject) => {
      if (this.#over) throw this.#over.reason;
      signal?.throwIfAborted();
      try {
        to.postMessage({ id, ...question }, [...moved]);
      } catch (cause) {
        const { message } = /** @type {Error} */ (cause);
        throw new TypeError(`arguments must be cloneable; got ${message}`, { cause });
      }
      /** @param {Answer} given */
      const answer = (given) => {
        try {
          resolve(read(given));
        } catch (error) {
          reject(error);
        }
      };
      const abort = () => {
        reject(signal?.reason);
        this.#renew();
      };
      const heard = signal ? whenAborted(signal, abort) : () => {};
      this.#calls.set(id, { answer, reject, of, heard });
      this.#settle();
    });
  }

  /**
   * Replaces the worker after its call was aborted: what it computes cannot be stopped in another way. It stays if it
   * has other calls, or objects of the program; what comes of the call is then dropped.
   */
  #renew() {
    const { again, worker } = this.home;
    const isNeeded = this.#calls.size > 1 || [...this.kept].some((id) => id > this.#modules);
    if (isNeeded || !again) return;
    this.#calls.clear();
    this.#port?.close();
    void worker.terminate();
    this.home = again();
    this.#renewal = this.#begin(refuse).then(() => void (this.#renewal = undefined), this.end);
  }

  /**
   * Starts phasor in the worker.
   * @template Value
   * @param {(answer: Answer) => Value} read
   * @returns {Promise<Value>}
   */
  start(read) {
    return this.#begin((answer) => {
      refuse(answer);
      const modules = read(answer);
      this.#modules = Math.max(...this.kept);
      return modules;
    });
  }

  /** Each worker gives the modules the same numbers. @template Value @param {(answer: Answer) => Value} read */
  #begin(read) {
    if (typeof MessageChannel !== "function") {
      throw new LoadError("phasor/worker needs MessageChannel, which is missing here");
    }
    const { port1: port, port2 } = new MessageChannel();
    const { worker, isOurs } = this.home;
    this.#port = port;
    const isCurrent = () => this.#port === port;
    port.onmessage = ({ data }) => {
      const call = this.#calls.get(data?.id); // a worker of the program may post anything
      this.#calls.delete(data?.id);
      call?.heard();
      call?.answer(data);
      this.#settle();
    };
    port.onmessageerror = () => this.#stop("its answer could not be read");
    // The port of a worker that fails may close before the worker's error comes, which says why.
    port.addEventListener("close", () => {
      if (!this.#over && isCurrent()) setTimeout(() => this.#stop(), GRACE);
    });
    // A worker that the program created may report unrelated errors and continue.
    listen(worker, "error", (event) => {
      handled(event);
      const why = event.message || "it could not be read, or failed at once";
      if (isCurrent() && (isOurs || !this.#modules)) {
        this.#stop(why, event instanceof Error ? event : event.error);
      }
    });
    listen(worker, "exit", () => isCurrent() && this.#stop());
    return this.#post(worker, 0, { phasor: port2, wasm: this.wasm }, [port2], read);
  }
}
