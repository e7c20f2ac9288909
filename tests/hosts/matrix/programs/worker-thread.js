import { load } from "phasor/worker";
import { numbers } from "./numbers.js";

/** @param {string | URL} thread  where it is, as the environment has it */
export async function run(thread) {
  const phasor = await load({ worker: thread });
  const text = await numbers(phasor);
  await phasor.dispose();
  return text;
}
