// The list of everything shows what has the words that are asked for.

import "./style.css";

const form = document.querySelector(".filter");
const field = form?.querySelector("input");
const status = form?.querySelector('[role="status"]');

if (form && field && status) {
  form.toggleAttribute("hidden", false);
  form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", show);
  show(); // a browser that goes back keeps what was typed
}

document.documentElement.dataset.settled = "true"; // nothing else will come

function show() {
  const words = (field?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const has = (/** @type {string} */ text) =>
    words.every((word) => text.toLowerCase().includes(word));
  let count = 0;
  for (const family of document.querySelectorAll(".family")) {
    let isAny = false;
    for (const page of family.querySelectorAll("[data-page]")) {
      const said = page.getAttribute("data-words") ?? "";
      const isWhole = has(said);
      let found = 0;
      for (const name of page.querySelectorAll(".names > li")) {
        const isFound = isWhole || has(`${said} ${name.getAttribute("data-words")}`);
        name.toggleAttribute("hidden", !isFound);
        found += Number(isFound);
      }
      page.toggleAttribute("hidden", found === 0 && !isWhole);
      isAny ||= found > 0 || isWhole;
      count += found;
    }
    family.toggleAttribute("hidden", !isAny);
  }
  if (status) status.textContent = words.length === 0 ? "" : `${count || "Nothing"} found`;
}
