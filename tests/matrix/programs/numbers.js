/**
 * Numbers of several rooms: what every way to start phasor must give, to the last bit.
 *
 * @param {import("phasor").Phasor} phasor
 */
export function numbers({ alibi, embedding, rope, sinusoidal }) {
  const table = embedding.create(4, 2, { weights: [1, 2, 3, 4, 5, 6, 7, 8] });
  const x = table.lookup([[3, 0]], { scale: "sqrt", add: sinusoidal.table(2, 2) });
  const y = rope.rotate(x, rope.table(2, 2), { inverse: true });
  return [...y.shape, ...y.data, ...alibi.slopes(4)].join(" ");
}
