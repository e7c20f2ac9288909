/**
 * Draws numbers as bars.
 *
 * @param {HTMLCanvasElement} canvas  of any layout size
 * @param {Float32Array} values
 * @param {string} color  a custom property
 * @param {number} limit  the number that reaches the edge; larger ones are cut off there
 */
export function drawStrip(canvas, values, color, limit) {
  const { clientWidth, clientHeight } = canvas;
  const context = canvas.getContext("2d");
  if (!context || clientWidth === 0) return;
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [clientWidth * ratio, clientHeight * ratio].map(Math.round);
  context.fillStyle = getComputedStyle(canvas).getPropertyValue(color);
  const middle = canvas.height / 2;
  const step = canvas.width / values.length;
  const gap = Math.min(step * 0.3, ratio);
  values.forEach((x, i) => {
    const y = middle - (x / limit) * middle;
    const height = Math.max(Math.abs(y - middle), ratio / 2); // a zero is a line
    context.fillRect(i * step, Math.min(y, middle), step - gap, height);
  });
}
