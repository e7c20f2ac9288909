import { load } from "phasor/ngrams";

export async function run() {
  const { ngramIds } = await load();
  return ngramIds.blt([104, 105], { buckets: 7, groups: [2, 3] }).data.join(" ");
}
