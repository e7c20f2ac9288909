// The list of everything shows what has the words that are asked for.

import "./style.css";

const form = document.querySelector(".filter");
const field = form?.querySelector("input");
const status = form?.querySelector('[role="status"]');

document.documentElement.dataset.settled = "true"; // nothing else will come

if (form && field && status) {
  form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", show);
  if (location.hash === "#filter") field.focus(); // from the header of another page
  show(); // a browser that goes back keeps what was typed
}

/**
 * Shows the functions that have all words in their names or in what the texts say, and the pages with such functions.
 * Those that only the texts find are marked.
 */
function show() {
  const words = (field?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const has = (/** @type {string} */ text) => words.every((word) => text.includes(word));
  const count = { name: 0, text: 0 };
  for (const family of document.querySelectorAll(".family")) {
    let isAny = false;
    for (const page of family.querySelectorAll("[data-page]")) {
      const { names, texts } = saidOf(page);
      const whole = { name: has(names), text: has(texts) };
      let found = 0;
      for (const item of page.querySelectorAll(".names > li")) {
        const own = saidOf(item);
        const byName = whole.name || has(`${names} ${own.names}`);
        const isFound = byName || whole.text || has(`${texts} ${own.texts}`);
        item.toggleAttribute("hidden", !isFound);
        item.classList.toggle("by-text", !byName);
        found += Number(isFound);
        if (isFound) ++count[byName ? "name" : "text"];
      }
      const isShown = found > 0 || whole.name || whole.text;
      page.toggleAttribute("hidden", !isShown);
      isAny ||= isShown;
      if (isShown && found === 0) ++count[whole.name ? "name" : "text"];
    }
    family.toggleAttribute("hidden", !isAny);
  }
  if (status) status.textContent = words.length === 0 ? "" : sentence(count);
}

/** @param {Element} of */
function saidOf(of) {
  const names = (of.getAttribute("data-words") ?? "").toLowerCase();
  return { names, texts: `${names} ${(of.getAttribute("data-text") ?? "").toLowerCase()}` };
}

/** @param {{ name: number, text: number }} count */
function sentence({ name, text }) {
  if (name > 0 && text > 0) return `${name} found by name, ${text} more in the texts`;
  if (name > 0) return `${name} found`;
  return text > 0 ? `${text} found in the texts` : "Nothing found";
}
