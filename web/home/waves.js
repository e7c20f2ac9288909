/** The radius of a dot, px. */
const DOT = 3.5;

/**
 * Draws waves through places, and a dot where each place samples each wave.
 *
 * @param {HTMLCanvasElement} canvas  of any layout size
 * @param {readonly (readonly (readonly [t: number, y: number])[])[]} waves  their points; place i is at t = i
 * @param {readonly number[]} places  px from the left, equally far apart
 */
export function drawWaves(canvas, waves, places) {
  const { clientWidth, clientHeight } = canvas;
  const context = canvas.getContext("2d");
  if (!context || clientWidth === 0) return;
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [clientWidth * ratio, clientHeight * ratio].map(Math.round);
  context.scale(ratio, ratio);
  const color = getComputedStyle(canvas).getPropertyValue("--position");
  [context.strokeStyle, context.fillStyle] = [color, color];
  const [first, second] = places;
  const heights = waves.flat().map(([, y]) => y);
  const [least, most] = [Math.min(...heights), Math.max(...heights)];
  const at = (/** @type {readonly [number, number]} */ [t, y]) =>
    /** @type {const} */ ([
      first + t * (second - first),
      DOT + ((clientHeight - 2 * DOT) * (most - y)) / (most - least),
    ]);
  waves.forEach((points, i) => {
    context.lineWidth = 2 - 0.35 * i; // the fastest stands out
    context.beginPath();
    for (const point of points) context.lineTo(...at(point));
    context.stroke();
    for (const t of places.keys()) {
      const nearest = points.reduce((a, b) => (Math.abs(b[0] - t) < Math.abs(a[0] - t) ? b : a));
      context.beginPath();
      context.arc(...at(nearest), DOT, 0, 2 * Math.PI);
      context.fill();
    }
  });
}
