import { load } from "phasor/rope";

export async function run() {
  const { rope } = await load();
  return rope.table(2, 4).cos.data.join(" ");
}
