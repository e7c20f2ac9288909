import { load } from "phasor/lab";

/** @param {string | URL} [worker]  where it is, as the environment has it; undefined where bundlers find it */
export async function run(worker) {
  const { lab } = await load();
  const shape = { dim: 8, length: 8, batch: 2, steps: 3, tokens: 32 };
  const runs = { seeds: 2, workers: 1, worker };
  const rows = await lab.experiment({ tasks: ["back"], schemes: ["alibi"], ...shape, ...runs });
  return rows.map(({ bits, loss }) => [bits, ...loss].join(" ")).join(", ");
}
