/** Starts the threads of an experiment. Only this file knows their address. */
/* global Worker */
import { startWorker } from "../../runtime/threads.js";

/** @type {import("../../runtime/threads.js").Script} */
const script = {
  base: import.meta.url,
  file: "lab-thread.js",
  // Bundlers recognize exactly this expression.
  own: (name) => new Worker(new URL("./lab-thread.js", import.meta.url), { type: "module", name }),
  rule: "a URL",
  advice: 'give experiment({ worker }) the address of "phasor/lab-thread"',
};

/** @param {unknown} worker  an address; undefined for the script of the package @param {string} name */
export const open = (worker, name) => startWorker(script, worker, name);
