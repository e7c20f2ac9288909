/** Makes runs, one after the other: here, or in a thread. */
/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Task } from "../tasks/task.js" */
/** @import { Job, Result, Step } from "./run.js" */
import { CoreError } from "../../runtime/errors.js";
import { unpackError } from "../../runtime/packed.js";
import { handled, listen } from "../../runtime/threads.js";
import { DivergedError } from "../lab/errors.js";
import { open } from "./home.js";
import { run } from "./run.js";

/**
 * Makes a run.
 * @typedef {(asked: {task: Task, sent: unknown, job: Job, where: string}, tell: (step: Step) => void) => Promise<Result>} Make
 *
 * What makes runs until it ends.
 * @typedef {{make: Make, end: () => unknown}} Lane
 */

/** How long this thread works before it lets the host do other things. ms */
const SLICE = 16;

/**
 * Adds to an error where it happened.
 * @param {any} error @param {string} where
 */
export function inRun(error, where) {
  const own = Object.getOwnPropertyDescriptor(Object(error), "message");
  if (!own?.writable) return error;
  const message = `${error.message} (${where})`;
  const stack = error.stack?.replace(error.message, () => message);
  return Object.assign(error, { message, stack });
}

/** Runs in this thread. @param {Core} core @param {AbortSignal} signal @returns {Lane} */
export const laneHere = (core, signal) => ({
  async make({ task, job, where }, tell) {
    let from = performance.now();
    const parts = run(core, task, job);
    try {
      for (;;) {
        signal.throwIfAborted();
        const { done, value } = next(parts, where);
        if (done) return value;
        if (value) tell(value);
        if (performance.now() - from < SLICE) continue;
        await new Promise((resolve) => setTimeout(resolve));
        from = performance.now();
      }
    } finally {
      parts.return(/** @type {any} */ (undefined)); // frees the decoder
    }
  },
  end() {},
});

/**
 * The next part of a run.
 * @param {ReturnType<typeof run>} parts @param {string} where  for its error
 */
function next(parts, where) {
  try {
    return parts.next();
  } catch (error) {
    throw inRun(error, where);
  }
}

/**
 * Runs in a separate thread.
 * @param {unknown} address  of its script; undefined for that of the package
 * @param {string} name @param {AbortSignal} signal
 * @returns {Lane}
 */
export function laneInThread(address, name, signal) {
  const { worker, refusal } = open(address, name);
  const { port1: port, port2 } = new MessageChannel();
  /** @type {{resolve: (result: Result) => void, reject: (reason: unknown) => void, tell: (step: Step) => void, where: string} | undefined} */
  let asked;
  let isStarted = false;
  /** @type {{reason: unknown} | undefined} */
  let over;

  /** @param {string} why @param {unknown} [cause] */
  const stop = (why, cause) => {
    const stopped = () => new CoreError(`a thread of the experiment stopped: ${why}`, { cause });
    over ??= { reason: isStarted ? stopped() : refusal(why, cause) };
    asked?.reject(over.reason);
  };
  port.onmessage = ({ data }) => {
    const { step, result, error } = data ?? {}; // a program's own thread may post anything
    isStarted = true;
    try {
      if (step) asked?.tell(step);
      else if (result) asked?.resolve(result);
      else if (error && asked) {
        asked.reject(inRun(unpackError(error, undefined, { DivergedError }), asked.where));
      }
    } catch (thrown) {
      asked?.reject(thrown); // by what listens to the steps
    }
  };
  port.onmessageerror = () => stop("its answer could not be read");
  listen(worker, "error", (event) => {
    handled(event);
    const why = event.message || "it could not be read, or failed at once";
    stop(why, event instanceof Error ? event : event.error);
  });
  listen(worker, "exit", () => stop("it was ended"));
  signal.addEventListener("abort", () => asked?.reject(signal.reason));
  worker.postMessage({ lab: port2 }, [port2]);
  return {
    make: ({ sent, job, where }, tell) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        if (over) throw over.reason;
        asked = { resolve, reject, tell, where };
        port.postMessage({ task: sent, job });
      }),
    end() {
      asked = undefined;
      port.close();
      return worker.terminate();
    },
  };
}
