/**
 * PyTorch's float32 steps, one at a time: what `precision: "torch"` promises. Each step is computed
 * in double and rounded.
 */
const { fround } = Math;

/** @typedef {"exp" | "pow"} Recipe */

/**
 * exp: torch.exp(torch.arange(0, d, 2).float() * (-math.log(base) / d)), as textbooks have it;
 * pow: 1.0 / base ** (torch.arange(0, d, 2).float() / d), as Hugging Face has it.
 * @param {number} base @param {number} n  d/2
 * @param {number} pairs @param {Recipe} recipe
 */
export function frequencies(base, n, pairs, recipe) {
  return Float32Array.from({ length: pairs }, (_, i) =>
    recipe === "exp"
      ? Math.exp(fround(i * fround(-Math.log(base) / n)))
      : 1 / fround(fround(base) ** fround(i / n)),
  );
}

/** @param {number} position @param {number} theta  float32 */
export function phase(position, theta) {
  const angle = fround(fround(position) * theta);
  return { sin: Math.sin(angle), cos: Math.cos(angle) };
}
