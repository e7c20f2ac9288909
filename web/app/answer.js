/**
 * @callback Task
 * @param {any} args
 * @param {(progress: any) => void} tell  called with the progress
 * @returns {unknown} the result, or a promise of it
 */

/**
 * Runs the tasks that work.js sends to this worker.
 *
 * @param {Readonly<Record<string, Task>>} tasks
 */
export function answer(tasks) {
  addEventListener("message", async ({ data: { id, stop, task, args } }) => {
    if (stop) return postMessage({ id, stopped: true }); // so that the page sees that the worker is not busy
    try {
      const result = await tasks[task](args, (progress) => postMessage({ id, progress }));
      postMessage({ id, result }, { transfer: buffers(result) });
    } catch (error) {
      const { name, message, code } = /** @type {Error & {code?: string}} */ (error);
      postMessage({ id, error: { name, message, code } });
    }
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
