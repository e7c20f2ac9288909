import { load } from "phasor/training";

export async function run() {
  const { skipgram } = await load();
  return skipgram.create(4, 8, { window: 1 }).pairs([0, 1, 2, 3]).data.join(" ");
}
