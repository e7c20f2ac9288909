// The pictures of an answer: the named spectrum over the measured one, and how far apart they are.

/** @import { Figure } from "phasor/plots" */
/** @import { Rotation } from "phasor/oracle" */
import { exportsOf } from "../app/exports.js";
import { brief, some } from "../app/numbers.js";

/** @typedef {{figure: Figure, numbers: readonly number[]}} Drawn */

async function loading() {
  const [{ figures }, Plot] = await Promise.all([
    import("phasor/plots"),
    import("@observablehq/plot"),
  ]);
  return figures({ Plot });
}

export class Pictures {
  /** @type {ReturnType<typeof loading> | undefined} */
  #plots;
  /** @type {Map<HTMLElement, Drawn>} */
  #drawn = new Map();
  #places;

  /** @param {{spectrum: HTMLElement, deviation: HTMLElement, said: HTMLElement}} places */
  constructor(places) {
    this.#places = places;
  }

  /** Loads the code of figures, so that it arrives beside the first answer. */
  load() {
    return (this.#plots ??= loading());
  }

  /** @param {Rotation | undefined} answer  undefined: one without pictures @param {number} rows  of the arrays */
  async show(answer, rows) {
    const { spectrum, deviation, said } = this.#places;
    const shown = answer && readings(answer, rows);
    spectrum.hidden = shown === undefined;
    deviation.hidden = shown === undefined || shown.most === 0;
    said.textContent = shown?.words ?? "";
    if (!shown) return;
    const plots = await this.load();
    this.#draw(spectrum, plots.spectrum, shown.series, shown.fitted, {
      title: "Wavelengths of the pairs: measured (wide), named (thin)",
      context: [{ length: rows, label: some(rows, "row") }],
      description: shown.words,
    });
    if (deviation.hidden) return;
    this.#draw(deviation, plots.bar, shown.off, shown.off, {
      title: "Measured frequency / named one − 1",
      description: `By pair: up to ${brief(shown.most)} apart.`,
      height: 150,
    });
  }

  /**
   * @param {HTMLElement} place @param {(data: any, options: any) => unknown} draw @param {unknown} data
   * @param {readonly number[]} numbers  for .npy @param {Record<string, unknown>} options
   */
  #draw(place, draw, data, numbers, options) {
    const known = this.#drawn.get(place);
    if (known) {
      known.numbers = numbers;
      known.figure.update(data, options);
      return;
    }
    const figure = /** @type {Figure} */ (draw(data, options));
    /** @type {Drawn} */
    const drawn = { figure, numbers };
    this.#drawn.set(place, drawn);
    const tensor = () => ({
      data: Float64Array.from(drawn.numbers),
      shape: [drawn.numbers.length],
    });
    figure.append(exportsOf(figure, { name: `identify-${place.id}`, tensor }));
    place.replaceChildren(figure);
  }
}

/** What the pictures show of an answer, and in words. @param {Rotation} answer @param {number} rows */
function readings({ frequencies: { measured, fitted }, hidden }, rows) {
  const isShown = (/** @type {number} */ i) => !hidden || i < hidden[0] || i > hidden[1];
  const seen = measured.map((x, i) => (isShown(i) && x > 0 ? x : NaN));
  const off = seen.map((x, i) => (Number.isNaN(x) || fitted[i] === 0 ? 0 : x / fitted[i] - 1));
  const most = off.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const turns = fitted.filter((x) => x > 0).map((x) => (2 * Math.PI) / x);
  const whole = turns.filter((length) => length <= rows).length;
  const still = fitted.length - turns.length;
  const sentences = [
    `${some(fitted.length, "pair")}, with a turn in ${brief(Math.min(...turns))} to ${brief(Math.max(...turns))} tokens; ${whole} turn fully within ${some(rows, "row")}.`,
    still > 0 && `${still} never turn.`,
    hidden && `Of pairs ${hidden[0]} to ${hidden[1]} only the name is drawn.`,
    most === 0
      ? "As float32 numbers, measured and named frequencies are the same."
      : `Measured and named frequencies differ by up to ${brief(most)} of themselves.`,
  ];
  const series = [
    { label: "measured", frequencies: seen },
    { label: "named", frequencies: fitted },
    ...(hidden
      ? [{ label: "not shown", frequencies: fitted.map((x, i) => (isShown(i) ? NaN : x)) }]
      : []),
  ];
  return { series, fitted, off, most, words: sentences.filter(Boolean).join(" ") };
}
