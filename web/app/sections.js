import { copy } from "./copy.js";
import { make } from "./dom.js";
import { mode } from "./lecture/mode.js";

/** The parts of the site that are read; the pages of the reference link their headings themselves. */
const READ = ["lessons", "guides", "claims", "museum", "models", "teaching", "about"];

/**
 * Makes each heading with an id a link to its section: a click copies the address, with the settings of the page. On a
 * page with controls the part after the # holds their settings, so there `?section=` names the section.
 */
export function linkSections() {
  if (mode !== "read" || !READ.includes(document.body.dataset.part ?? "")) return;
  const hasControls = document.querySelector("form[data-controls]") !== null;
  for (const heading of document.querySelectorAll("main :is(h2, h3)[id]")) {
    if (heading.querySelector("a")) continue;
    const link = make("a", { class: "section-link" });
    const note = make("span", { class: "section-note", role: "status" });
    const follow = () => (link.href = addressOf(heading.id, hasControls));
    follow();
    for (const event of ["pointerenter", "focus"]) link.addEventListener(event, follow);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      follow();
      history.replaceState(null, "", link.href);
      heading.scrollIntoView();
      copy(link.href, note);
    });
    link.append(...heading.childNodes);
    heading.append(link, note);
  }
}

/** @param {string} id @param {boolean} hasControls */
function addressOf(id, hasControls) {
  const address = new URL(location.href);
  const settings = document.getElementById(address.hash.slice(1)) ? "" : address.hash;
  address.search = hasControls ? new URLSearchParams({ section: id }).toString() : "";
  address.hash = hasControls ? settings : id;
  return address.href;
}
