/**
 * Vectors of one length as the columns of a matrix: the lines of one picture.
 *
 * @param {readonly ArrayLike<number | bigint>[]} vectors
 * @returns {{data: Float64Array, shape: [number, number]}}
 */
export function beside(vectors) {
  const [rows, columns] = [vectors[0].length, vectors.length];
  const data = Float64Array.from({ length: rows * columns }, (_, i) =>
    Number(vectors[i % columns][Math.floor(i / columns)]),
  );
  return { data, shape: [rows, columns] };
}
