import { npy } from "phasor/files";

export async function run() {
  const { shape, data } = await npy.read(npy.write({ shape: [2, 2], data: [1, -2, 0.1, 4] }));
  return [...shape, ...data].join(" ");
}
