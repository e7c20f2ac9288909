// Long work beside the page: runs the tasks that work.js sends. Several may run at a time; they take
// turns at their yields.

import { load } from "phasor";
import { tasks } from "./tasks/index.js";

/**
 * @typedef {{id: number, task: keyof typeof tasks, args: any}} Order
 * @typedef {{id: number, stop: true}} Stop
 */

const phasor = load();
const { port1: here, port2: there } = new MessageChannel();

/** Tasks that shall stop, by id. @type {Set<number>} */
const stopped = new Set();

addEventListener("message", async ({ data }) => {
  if (data.stop) {
    stopped.add(data.id);
    postMessage({ id: data.id, stopped: true }); // so that the page sees that the worker is no block
  } else {
    await run(data);
    stopped.delete(data.id);
  }
});

/** @param {Order} order */
async function run({ id, task, args }) {
  try {
    const steps = /** @type {AsyncGenerator<unknown, object>} */ (tasks[task](await phasor, args));
    while (!stopped.has(id)) {
      const { done, value } = await steps.next();
      if (done) return postMessage({ id, result: value }, { transfer: buffers(value) });
      postMessage({ id, progress: value });
      await turn();
    }
    await steps.return({}); // so that it gives back what it holds
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    postMessage({ id, error: { name, message } });
  }
}

/** Lets what came meanwhile be heard. A timer would wait for milliseconds. */
function turn() {
  return new Promise((next) => {
    here.onmessage = next;
    there.postMessage(null);
  });
}

/** The memory of all typed arrays in a result: it moves to the page. @param {unknown} value */
function buffers(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (typeof value === "object" && value) {
    for (const part of Object.values(value)) buffers(part, found);
  }
  return Array.from(found);
}
