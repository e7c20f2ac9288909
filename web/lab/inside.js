// One trained model: its answers to a text, and where each head looks.

/** @import { Run } from "./runs.js" */
/** @import { Setup } from "./setup.js" */
import { make } from "../app/dom.js";
import { farthest, paint, walls } from "./maps.js";
import { pairsOf } from "./pairs.js";

/** @typedef {{ids: Int32Array, targets: Int32Array, answers: Int32Array, names: readonly string[], attention: Float32Array}} Looked */

/**
 * @param {HTMLElement} place
 * @returns {(run: Run | undefined, setup: Setup, factor: number) => void} shows a model; undefined: none is trained
 */
export function inside(place) {
  let shown = "";
  return async (run, setup, factor) => {
    const { reading, temperature, heads, length: trained } = setup;
    const key = JSON.stringify([run?.id ?? 0, factor, reading, temperature]);
    if (key === shown) return;
    shown = key;
    if (!run?.worker) {
      place.replaceChildren(
        make("p", { class: "note" }, "This scheme is not trained yet. Run it first."),
      );
      return;
    }
    const { id, scheme } = run;
    const length = trained * factor;
    try {
      const looked = await run.worker.work("look", { id, length, scheme, reading, temperature });
      const pairs = await run.worker.work("pairs", { id });
      if (key !== shown) return;
      place.replaceChildren(
        ...answersOf(looked, trained),
        mapsOf(looked, { trained, length, heads }),
        ...pairsOf(pairs, { trained, heads }),
      );
    } catch (error) {
      if (key === shown)
        place.replaceChildren(make("p", { class: "wrong" }, /** @type {Error} */ (error).message));
    }
  };
}

/** The text, with wrong answers marked. @param {Looked} looked @param {number} trained */
function answersOf({ ids, targets, answers, names }, trained) {
  const counts = { in: [0, 0], beyond: [0, 0] };
  const gap = names.every((name) => name.length === 1) && names.includes(" ") ? "" : " ";
  /** @type {(string | Node)[]} */
  const parts = [];
  ids.forEach((id, t) => {
    if (t === trained) parts.push(make("span", { class: "end" }, "| trained length"), gap);
    const target = targets[t];
    const name = names[id];
    if (target < 0) return parts.push(name, gap);
    const count = counts[t < trained ? "in" : "beyond"];
    const isRight = answers[t] === target;
    count[0] += Number(isRight);
    count[1] += 1;
    const title = `answered ${names[answers[t]]}, right: ${names[target]}`;
    parts.push(isRight ? name : make("mark", { title }, name), gap);
  });
  const words = (/** @type {number[]} */ [right, all]) => `${right} of ${all} answers are right`;
  const beyond =
    ids.length > trained ? `, beyond it ${counts.beyond[0]} of ${counts.beyond[1]}` : "";
  return [
    make(
      "p",
      {},
      `Within the trained length ${words(counts.in)}${beyond}. Marked: a token after which the answer is wrong.`,
    ),
    make("p", { class: "answers" }, ...parts),
  ];
}

/** @param {Looked} looked @param {{trained: number, length: number, heads: number}} sizes */
function mapsOf({ attention }, { trained, length: T, heads }) {
  const count = attention.length / (T * T);
  const maps = Array.from({ length: count }, (_, i) => {
    const weights = attention.subarray(i * T * T, (i + 1) * T * T);
    const layer = count > heads ? `Layer ${Math.floor(i / heads) + 1}, head` : "Head";
    const words = [`within T ${farthest(weights, T, 0, trained)}`];
    if (T > trained) words.push(`beyond ${farthest(weights, T, trained, T)}`);
    const name = `${layer} ${(i % heads) + 1}`;
    const field = make("div", { class: "field" }, paint(weights, T));
    if (T > trained) field.append(...walls(trained / T));
    return make(
      "figure",
      { class: "map" },
      field,
      make("figcaption", {}, `${name} looks mostly ${words.join(", ")}.`),
    );
  });
  return make("div", { class: "maps" }, ...maps);
}
