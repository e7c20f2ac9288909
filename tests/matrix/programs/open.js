import { npy } from "phasor/files";
import { open } from "phasor/open";

export async function run() {
  const model = await open({
    "vectors.npy": npy.write([
      [1, -2],
      [0.1, 4],
    ]),
  });
  const rows = await model.tokens?.rows([1, 0]);
  return String(rows?.toArray());
}
