/** @import { Judgement } from "../questions/verdict.js" */
import { reveal, unfold } from "../fold.js";
import { embedded, mode, section, shown } from "./mode.js";

/**
 * Shows the page in the way that its address asks for, once everything on it has been computed.
 *
 * @param {object} page
 * @param {(place: HTMLElement) => ReadonlySet<string>} page.usesOf  what the figure in a place has read
 * @param {(name: string) => Promise<Judgement>} page.judge
 */
export async function showAs({ usesOf, judge }) {
  if (shown) reveal(document.querySelector(`[data-figure="${CSS.escape(shown)}"]`));
  reveal(document.getElementById(section));
  if (mode === "read") return;
  unfold(document);
  await import("./lecture.css");
  document.body.dataset.mode = mode;
  if (mode === "embed") (await import("./embed.js")).embed(embedded, usesOf);
  if (mode === "present") (await import("./present.js")).present(usesOf);
  if (mode === "worksheet") (await import("./worksheet.js")).worksheet();
  if (mode === "key") await (await import("./key.js")).key(judge);
}
