/**
 * Numbers of several modules: what every way to start phasor must give, to the last bit.
 *
 * @param {import("phasor").Phasor | import("phasor/worker").RemotePhasor} phasor
 */
export async function numbers(phasor) {
  // Both have the same functions; those of a worker promise what these return.
  const { alibi, embedding, rope, sinusoidal } = /** @type {import("phasor").Phasor} */ (phasor);
  const table = await embedding.from([
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
  ]);
  const add = await sinusoidal.table(2, 2);
  const x = await table.lookup([[3, 0]], { scale: "sqrt", add });
  const y = await rope.apply(x, await rope.table(2, 2), { inverse: true });
  return [...y.shape, ...y.data, ...(await alibi.slopes(4)).data].join(" ");
}
