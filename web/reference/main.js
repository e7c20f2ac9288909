// The list of everything shows what has the words that are asked for.

import "./style.css";

const form = document.querySelector(".filter");
const field = form?.querySelector("input");
const status = form?.querySelector('[role="status"]');

if (form && field && status) {
  form.toggleAttribute("hidden", false);
  form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", show);
  if (location.hash === "#filter") field.focus(); // from the header of another page
  show(); // a browser that goes back keeps what was typed
}

document.documentElement.dataset.settled = "true"; // nothing else will come

/** Names are looked through first, and where none has the words, what the texts say. */
function show() {
  const words = (field?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const byName = showWith(words, "words");
  const byText = byName > 0 ? 0 : showWith(words, "text");
  const said = byName > 0 ? `${byName} found` : byText > 0 ? `${byText} found in the texts` : "";
  if (status) status.textContent = words.length === 0 ? "" : said || "Nothing found";
}

/**
 * Shows the functions that have all words, and the pages with such functions.
 * @param {string[]} words @param {"words" | "text"} kind  of what they are looked for in
 * @returns {number} how many functions and pages without one
 */
function showWith(words, kind) {
  const has = (/** @type {string} */ text) =>
    words.every((word) => text.toLowerCase().includes(word));
  let count = 0;
  for (const family of document.querySelectorAll(".family")) {
    let isAny = false;
    for (const page of family.querySelectorAll("[data-page]")) {
      const said = page.getAttribute(`data-${kind}`) ?? "";
      const isWhole = has(said);
      let found = 0;
      for (const name of page.querySelectorAll(".names > li")) {
        const isFound = isWhole || has(`${said} ${name.getAttribute(`data-${kind}`)}`);
        name.toggleAttribute("hidden", !isFound);
        found += Number(isFound);
      }
      page.toggleAttribute("hidden", found === 0 && !isWhole);
      isAny ||= found > 0 || isWhole;
      count += found || Number(isWhole);
    }
    family.toggleAttribute("hidden", !isAny);
  }
  return count;
}
