/** @import { Task } from "./answer.js" */
import { trusted } from "./trusted.js";

/** The time without an answer after which a worker counts as busy with one computation, ms. */
const PATIENCE = 100;

/**
 * @typedef {object} Job
 * @property {{id: number, task: string, args: unknown}} order
 * @property {(result: any) => void} resolve
 * @property {(reason: unknown) => void} reject
 * @property {((progress: any) => void) | undefined} onprogress
 */

/**
 * A worker that starts with the first call, and again with the first call after its end.
 *
 * @template {Readonly<Record<string, Task>>} Tasks
 * @param {"umap" | "models" | "lab" | "oracle"} script
 */
export function taskWorker(script) {
  /** @type {Worker | undefined} */
  let worker;
  let orders = 0;

  /** Pending jobs, by id. @type {Map<number, Job>} */
  const jobs = new Map();

  /** Jobs that were asked to stop and have not answered, with their timers. */
  const stopping = /** @type {Map<number, ReturnType<typeof setTimeout>>} */ (new Map());

  /**
   * Runs a task in the worker.
   *
   * @template {keyof Tasks} Name
   * @param {Name} task
   * @param {Parameters<Tasks[Name]>[0]} args  copied
   * @param {object} [options]
   * @param {(progress: any) => void} [options.onprogress]  called with the progress of the task
   * @param {AbortSignal} [options.signal]
   * @returns {Promise<Awaited<ReturnType<Tasks[Name]>>>}
   * @throws {TypeError | RangeError | Error} as the task throws; the reason of the signal if it is aborted
   */
  async function work(task, args, { onprogress, signal } = {}) {
    signal?.throwIfAborted();
    const id = ++orders;
    const order = { id, task: String(task), args };
    const abort = () => stop(id, signal?.reason);
    signal?.addEventListener("abort", abort);
    try {
      return await new Promise((resolve, reject) => {
        jobs.set(id, { order, resolve, reject, onprogress });
        send(order);
      });
    } finally {
      signal?.removeEventListener("abort", abort);
      jobs.delete(id);
    }
  }

  /** @param {object} message */
  function send(message) {
    worker ??= start();
    worker.postMessage(message);
  }

  function start() {
    const started = new Worker(trusted(script), { type: "module" });
    started.addEventListener("message", ({ data }) => hear(data));
    started.addEventListener("error", (event) => {
      event.preventDefault();
      end(started);
      const words = event.message ? `: ${event.message}` : ".";
      for (const { reject } of jobs.values()) reject(new Error(`The worker failed${words}`));
    });
    return started;
  }

  /** @param {Worker | undefined} from */
  function end(from) {
    from?.terminate();
    if (worker === from) worker = undefined;
    for (const clock of stopping.values()) clearTimeout(clock);
    stopping.clear();
  }

  /** @param {{id: number, progress?: unknown, result?: unknown, error?: Error, stopped?: true}} message */
  function hear(message) {
    const { id } = message;
    clearTimeout(stopping.get(id));
    stopping.delete(id);
    const job = jobs.get(id);
    if (!job) return;
    if ("error" in message) job.reject(asError(/** @type {Error} */ (message.error)));
    else if ("result" in message) job.resolve(message.result);
    else job.onprogress?.(message.progress);
  }

  /**
   * Stops a task. If the worker is busy with a long computation, it is terminated, and a new one restarts the other
   * tasks.
   *
   * @param {number} id @param {unknown} reason
   */
  function stop(id, reason) {
    jobs.get(id)?.reject(reason);
    jobs.delete(id);
    if (!worker) return;
    send({ id, stop: true });
    const silent = () => {
      end(worker);
      for (const { order } of jobs.values()) send(order);
    };
    stopping.set(id, setTimeout(silent, PATIENCE));
  }

  return {
    work,
    /** Ends the worker and rejects pending jobs. */
    dismiss() {
      end(worker);
      const reason = new DOMException("The work was stopped", "AbortError");
      for (const { reject } of jobs.values()) reject(reason);
    },
  };
}

const classes = { TypeError, RangeError };

/** Restores an error of the worker, with its name and code. @param {{name: string, message: string, code?: string}} given */
function asError({ name, message, code }) {
  const Kind = Object.hasOwn(classes, name) ? classes[/** @type {"TypeError"} */ (name)] : Error;
  return Object.assign(new Kind(message), { name }, code === undefined ? {} : { code });
}
