import { load } from "phasor/lab";

export async function run() {
  const { lab } = await load();
  const model = lab.decoder({ vocabulary: 16, dim: 8, seed: 1 });
  const run = model.train(lab.tasks.back(), { length: 8, batch: 2, steps: 3, every: 1 });
  return Array.from(run, ({ loss }) => loss).join(" ");
}
