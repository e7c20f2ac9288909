import { load } from "phasor/embedding";

export async function run() {
  const { embedding } = await load();
  return embedding
    .from([
      [1, 2],
      [3, 4],
    ])
    .lookup([1, 0], { scale: "sqrt" })
    .data.join(" ");
}
