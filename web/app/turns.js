import { load } from "phasor";

/**
 * @typedef {{id: number, task: string, args: any}} Order
 * @typedef {{id: number, stop: true}} Stop
 *
 * @callback Task
 * @param {import("phasor").Phasor} phasor
 * @param {any} args
 * @param {(progress: unknown) => void} tell  called with the progress
 * @returns {AsyncGenerator<unknown, unknown>} yields the progress and returns the result
 */

const { port1: here, port2: there } = new MessageChannel();

/** Tasks that wait for their turn, in order: a message for each. @type {((turn: unknown) => void)[]} */
const waiting = [];
here.onmessage = () => waiting.shift()?.(undefined);

/** Tasks that must stop, by id. @type {Set<number>} */
const stopped = new Set();

/**
 * Runs the tasks that work.js sends to this worker. Several tasks may run at a time; they alternate at their yields.
 *
 * @param {Readonly<Record<string, Task>>} tasks
 */
export function answer(tasks) {
  const phasor = load();
  addEventListener("message", async ({ data }) => {
    if (data.stop) {
      stopped.add(data.id);
      postMessage({ id: data.id, stopped: true }); // so that the page sees that the worker is no block
    } else {
      await run(tasks, phasor, data);
      stopped.delete(data.id);
    }
  });
}

/** @param {Readonly<Record<string, Task>>} tasks @param {ReturnType<typeof load>} phasor @param {Order} order */
async function run(tasks, phasor, { id, task, args }) {
  try {
    const tell = (/** @type {unknown} */ progress) => postMessage({ id, progress });
    const steps = tasks[task](await phasor, args, tell);
    while (!stopped.has(id)) {
      const { done, value } = await steps.next();
      if (done) return postMessage({ id, result: value }, { transfer: buffers(value) });
      postMessage({ id, progress: value });
      await turn();
    }
    await steps.return({}); // so that it gives back what it holds
  } catch (error) {
    const { name, message, code } = /** @type {Error & {code?: string}} */ (error);
    postMessage({ id, error: { name, message, code } });
  }
}

/** Lets the worker handle pending messages. A timer would wait for milliseconds. */
function turn() {
  return new Promise((next) => {
    waiting.push(next);
    there.postMessage(null);
  });
}

/** The memory of all typed arrays in a result: it is moved to the page. @param {unknown} value */
function buffers(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (typeof value === "object" && value) {
    for (const part of Object.values(value)) buffers(part, found);
  }
  return Array.from(found);
}
