/**
 * Draws rows of numbers as bars.
 *
 * @param {HTMLCanvasElement} canvas  of any layout size
 * @param {readonly { values: Float32Array, from?: Float32Array, color: string }[]} rows  each bar goes from the number
 *   of `from`, else from zero, to that of `values`; `color`: a custom property
 * @param {number} limit  the number that reaches the edge; larger ones are cut off there
 */
export function drawStrip(canvas, rows, limit) {
  const { clientWidth, clientHeight } = canvas;
  const context = canvas.getContext("2d");
  if (!context || clientWidth === 0) return;
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [clientWidth * ratio, clientHeight * ratio].map(Math.round);
  const style = getComputedStyle(canvas);
  const middle = canvas.height / 2;
  const heightOf = (/** @type {number} */ x) => middle - (x / limit) * middle;
  for (const { values, from, color } of rows) {
    context.fillStyle = style.getPropertyValue(color);
    const step = canvas.width / values.length;
    const gap = Math.min(step * 0.3, ratio);
    values.forEach((x, i) => {
      const [a, b] = [heightOf(from?.[i] ?? 0), heightOf(x)];
      const least = from ? 0 : ratio / 2; // a zero is a line
      context.fillRect(i * step, Math.min(a, b), step - gap, Math.max(Math.abs(a - b), least));
    });
  }
}
