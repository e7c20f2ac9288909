// The colors of series by what they mean: the custom properties of these names in style.css, in both themes.

/** @import { Picture } from "./page.js" */

/**
 * What a series is about: a token, its position, the mix of both (and the attention that mixes), a prediction of the
 * reader, what training has seen or made, what it has never seen. `ink` and `quiet` mean nothing: they are what the others
 * are compared with.
 *
 * @typedef {"token" | "position" | "mix" | "predict" | "trained" | "unseen" | "ink" | "quiet"} Meaning
 */

/** Names of what a reader has drawn or guessed. */
const GUESSED = /^(?:your|yours|you)\b/i;

/**
 * The options of a figure with the colors of its series. `means` names their meanings: in their order, or by their names.
 * Without it the first series is about the subject of the page. A reader's own is always a prediction.
 *
 * @param {Picture} picture @param {Meaning} subject
 * @returns {Record<string, any>}
 */
export function inColors({ kind, data, options = {} }, subject) {
  const { means, ...others } = options;
  const names = seriesOf(kind, data, others);
  if (!names) return others;
  const rest = kind === "clock" ? [subject, "position"] : [subject, "ink", "quiet"];
  const colors = names.map((name, i) => {
    const meaning = GUESSED.test(name) ? "predict" : (means?.[name] ?? means?.[i]);
    return `var(--${meaning ?? rest[i % rest.length]})`;
  });
  return { ...others, colors };
}

/**
 * The names of the series that have a color; undefined if none has.
 * @param {Picture["kind"]} kind @param {any} data @param {Record<string, any>} options
 * @returns {string[] | undefined}
 */
function seriesOf(kind, data, { labels, groups }) {
  if (kind === "waves") return labels ?? Array(data.shape?.[1] ?? data[0]?.length ?? 0).fill("");
  if (kind === "bar") return groups?.length > 0 ? [...new Set(groups.map(String))] : [""];
  if (kind === "clock") return ["", ""];
  if (kind !== "spectrum") return undefined;
  const isNamed = Array.isArray(data) && data.some((each) => typeof each === "object");
  return isNamed ? data.map(({ label = "" }) => label) : [""];
}
