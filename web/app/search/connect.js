import { mode } from "../lecture/mode.js";

/** Elements that take the keys that a reader types. */
const TYPING = "input, textarea, select, [contenteditable], [role=textbox], [role=application]";

/**
 * Opens the search of the site from the header, and by the keys `/` and Ctrl + K. What it needs is loaded then.
 * Without this script the link leads to the list of the reference.
 */
export function connectSearch() {
  const link = document.getElementById("site-search");
  if (!link || mode !== "read") return;
  const open = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const { openSearch } = await import("./dialog.js");
    openSearch();
  };
  link.addEventListener("click", open);
  addEventListener("keydown", (event) => {
    const isCombined = (event.ctrlKey || event.metaKey) && !event.altKey && event.key === "k";
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && event.key === "/";
    const types = event.target instanceof Element && event.target.closest(TYPING) !== null;
    if (isCombined || (isPlain && !types)) open(event);
  });
}
