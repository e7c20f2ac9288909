/** @import { Phasor } from "phasor" */
/** @import { Sizes } from "../../app/schemes/schemes.js" */
import { make, makeSvg } from "../../app/dom.js";
import { count } from "../../app/numbers.js";
import { SCHEMES } from "../../app/schemes/schemes.js";

/** A share of the width. @param {number} share */
const percent = (share) => `${Number((100 * share).toFixed(2))}%`;

/**
 * The text of each scheme as a bar: what training has shown, and what is new beyond it.
 * @param {Phasor} phasor @param {Sizes} sizes
 */
export function reachOf(phasor, sizes) {
  const { trained, length } = sizes;
  const isLonger = length > trained;
  const [known, longest] = [Math.min(trained, length), Math.max(trained, length)];
  const rows = SCHEMES.map(({ title, beyond }) => {
    const { isNew, words } = isLonger
      ? beyond(phasor, sizes)
      : { isNew: false, words: "nothing new" };
    const box = (
      /** @type {string} */ kind,
      /** @type {number} */ from,
      /** @type {number} */ to,
    ) =>
      makeSvg("rect", {
        class: kind,
        x: percent(from / longest),
        width: percent((to - from) / longest),
        height: 20,
      });
    const bar = makeSvg(
      "svg",
      { height: 20, "aria-hidden": "true" },
      box("seen", 0, known),
      ...(isLonger ? [box(isNew ? "new" : "kept", trained, length)] : []),
    );
    const said = make("span", {}, isNew ? make("b", {}, "new: ") : "", words);
    return make("li", {}, make("strong", {}, title), bar, said);
  });
  const key = isLonger
    ? `Green: the ${count(trained)} tokens of training. Red: what a text of ${count(length)} tokens meets for the first time; pale: more tokens, and nothing new.`
    : `A text of ${count(length)} tokens is within the ${count(trained)} of training: no scheme meets anything new.`;
  const all = document.createDocumentFragment();
  all.append(make("ul", {}, ...rows), make("p", { class: "note" }, key));
  return all;
}
