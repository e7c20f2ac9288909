/** The script of a thread of `lab.experiment`, the entry phasor/lab-thread. It exports nothing. */
/** @import { Core } from "../../runtime/wasm.js" */
import { packError } from "../../runtime/packed.js";
import { thisWorker } from "../../runtime/threads.js";
import { start } from "../../runtime/wasm.js";
import { run, taskOf } from "./run.js";

/** @type {Promise<Core> | undefined} */
let core;

thisWorker()?.addEventListener("message", (event) => {
  const { data } = /** @type {MessageEvent} */ (event);
  if (data?.lab) serve(data.lab);
});

/** Makes each run that is asked for. @param {MessagePort} port */
function serve(port) {
  port.onmessage = async ({ data }) => {
    try {
      const { task, job } = data;
      core ??= start();
      const parts = run(await core, taskOf(task), job);
      let part = parts.next();
      for (; !part.done; part = parts.next())
        if (part.value) port.postMessage({ step: part.value });
      port.postMessage({ result: part.value });
    } catch (thrown) {
      port.postMessage({ error: packError(thrown) });
    }
  };
}
