/**
 * Optimizers from their papers and PyTorch's documentation, in double, one weight at a time.
 * Each takes the gradient of the n-th step, n = 1, 2, ..., and changes the weight.
 */

/** @typedef {(weight: number, gradient: number, n: number) => number} Optimizer */

/**
 * torch.optim.SGD: g = gradient + decay w; velocity = momentum velocity + g, the first time g; w -= rate velocity.
 * @param {{learningRate: number, momentum?: number, weightDecay?: number}} options
 * @returns {Optimizer}
 */
export function sgd({ learningRate, momentum = 0, weightDecay = 0 }) {
  /** @type {number | undefined} */
  let velocity;
  return (weight, gradient) => {
    const g = gradient + weightDecay * weight;
    velocity = velocity === undefined ? g : momentum * velocity + g;
    return weight - learningRate * velocity;
  };
}

/**
 * Kingma and Ba 2015, algorithm 1; weight decay as torch.optim.Adam has it.
 * @param {{learningRate: number, beta1?: number, beta2?: number, epsilon?: number, weightDecay?: number}} options
 * @returns {Optimizer}
 */
export function adam({
  learningRate,
  beta1 = 0.9,
  beta2 = 0.999,
  epsilon = 1e-8,
  weightDecay = 0,
}) {
  let m = 0;
  let v = 0;
  return (weight, gradient, n) => {
    const g = gradient + weightDecay * weight;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g ** 2;
    const mean = m / (1 - beta1 ** n);
    const square = v / (1 - beta2 ** n);
    return weight - (learningRate * mean) / (Math.sqrt(square) + epsilon);
  };
}

/**
 * torch.optim.SparseAdam: moments move only where a row has a gradient, n counts every step, and
 * epsilon is added before the correction of the second moment (Kingma and Ba 2015, end of section 2).
 * @param {{learningRate: number, beta1?: number, beta2?: number, epsilon?: number}} options
 * @returns {Optimizer}
 */
export function sparseAdam({ learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 }) {
  let m = 0;
  let v = 0;
  return (weight, gradient, n) => {
    m += (1 - beta1) * (gradient - m);
    v += (1 - beta2) * (gradient ** 2 - v);
    const size = (learningRate * Math.sqrt(1 - beta2 ** n)) / (1 - beta1 ** n);
    return weight - (size * m) / (Math.sqrt(v) + epsilon);
  };
}
