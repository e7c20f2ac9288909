import { load } from "phasor/analysis";

export async function run() {
  const { similarity } = await load();
  return similarity
    .matrix([
      [1, 2],
      [3, 4],
    ])
    .data.join(" ");
}
