import { load } from "phasor/worker";

export async function run() {
  const { alibi, dispose, embedding, rope } = await load();
  const table = await embedding.create(2, 2, { weights: [1, 2, 3, 4] });
  const x = await table.lookup([1, 0]);
  const y = await rope.rotate(x, await rope.table(2, 2));
  const numbers = [...y.data, ...(await alibi.slopes(4)).data].join(" ");
  await dispose();
  return numbers;
}
