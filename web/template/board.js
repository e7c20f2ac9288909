import { escape } from "./escape.js";

/** A card for each section of a page that asks first, as links; the page says on them what came out. @param {Document} document */
export function fillBoard(document) {
  const board = document.querySelector("ol.board");
  if (!board) return;
  const sections = [...document.querySelectorAll("section[aria-labelledby]")];
  board.innerHTML = sections
    .map((section) => {
      const id = section.getAttribute("aria-labelledby") ?? "";
      const title = (document.getElementById(id)?.textContent ?? "").trim().replace(/\s+/g, " ");
      return `<li><a href="#${id}" data-card="${id.replace(/-title$/, "")}"><span>${escape(title)}</span> <b>?</b></a></li>`;
    })
    .join("");
}
