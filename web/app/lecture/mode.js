/**
 * How a page is shown, by its address: `?embed=FIGURE` is one figure with its controls, for a frame in another page;
 * `?present` is one slide at a time, for a projector; `?worksheet` is for print, without answers; `?key` has all
 * answers.
 *
 * @typedef {"read" | "embed" | "present" | "worksheet" | "key"} Mode
 */

const asked = new URLSearchParams(location.search);

/** The figure that is embedded; "" if none is. */
export const embedded = asked.get("embed") ?? "";

/** The figure that a link leads to. */
export const shown = asked.get("show") ?? "";

/** The id of the heading that a link leads to, where the part of the address after the # holds settings. */
export const section = asked.get("section") ?? "";

/** @type {Mode} */
export const mode = embedded
  ? "embed"
  : (/** @type {const} */ (["present", "worksheet", "key"]).find((name) => asked.has(name)) ??
    "read");
