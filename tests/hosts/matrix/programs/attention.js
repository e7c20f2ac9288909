import { load } from "phasor/attention";

export async function run() {
  const { attention } = await load();
  return attention.softmax([[0.1, 0.2, 0.3]]).data.join(" ");
}
