// Means over seeds, and how far the seeds are apart.

/** @param {readonly number[]} numbers */
export const meanOf = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** The standard deviation of a sample. @param {readonly number[]} numbers */
export function deviationOf(numbers) {
  const mean = meanOf(numbers);
  const squares = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  return Math.sqrt(squares / (numbers.length - 1));
}

/** The mean of seeds and, of several, their standard deviation; "" of none. @param {readonly number[]} numbers */
export function spreadText(numbers) {
  if (numbers.length === 0) return "";
  const mean = two(meanOf(numbers));
  return numbers.length > 1 ? `${mean} ± ${two(deviationOf(numbers))}` : mean;
}

/** @param {number} x */
export const two = (x) => x.toFixed(2);
