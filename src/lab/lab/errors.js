const BRAND = Symbol.for("phasor.DivergedError");

/** The loss of a step is not a number. The weights are those before the step, and the model can be used. */
export class DivergedError extends Error {
  /** @override */
  static name = "DivergedError";

  /** @override @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /** @internal */
  get [BRAND]() {
    return true;
  }

  /** @param {number} step @param {number} rate */
  constructor(step, rate) {
    super(
      `The loss of step ${step} is not a number, at a learning rate of ${rate}. Try a smaller one.`,
    );
    this.name = "DivergedError";
    /** The step, from 0. */
    this.step = step;
    /** Its learning rate. */
    this.rate = rate;
  }
}
