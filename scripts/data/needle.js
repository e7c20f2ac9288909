// What PyTorch trains on in tests/truth/golden/make/needle.py: the first weights and the batches of a run of phasor/lab.

import { writeFile } from "node:fs/promises";

/** The run. */
export const RUN = Object.freeze({ length: 32, batch: 16, steps: 200, every: 1 });

/** The decoder, and its task "needle". @param {import("phasor/lab").Lab["lab"]} lab */
export function beginNeedle(lab) {
  const task = lab.tasks.needle();
  const position = /** @type {const} */ ({ scheme: "rope" });
  return { task, model: lab.decoder({ vocabulary: task.vocabulary, position, seed: 1 }) };
}

/**
 * Writes start.NAME, the weights, and ids and targets [steps, B, T].
 * @param {string} path  of the .safetensors file
 */
export async function writeNeedle(path) {
  const { load, Tensor } = await import("phasor/lab");
  const { safetensors } = await import("phasor/files");
  const { task, model } = beginNeedle((await load()).lab);
  const { length, batch, steps } = RUN;
  const shape = [steps, batch, length];
  const [ids, targets] = [0, 1].map(() => new Int32Array(steps * batch * length));
  /** @type {Record<string, InstanceType<typeof Tensor>>} */
  const all = Object.fromEntries(
    Object.entries(model.weights()).map(([name, tensor]) => [`start.${name}`, tensor]),
  );
  let at = 0;
  const recording = {
    ...task,
    /** @type {typeof task.fill} */
    fill(random, x, y, T, distances) {
      task.fill(random, x, y, T, distances);
      ids.set(x, at);
      targets.set(y, at);
      at += T;
    },
  };
  Array.from(model.train(recording, RUN));
  all.ids = new Tensor(ids, shape);
  all.targets = new Tensor(targets, shape);
  await writeFile(path, safetensors.write(all));
}
