import "./search.css";
import { make } from "../dom.js";
import { root } from "../root.js";
import { finder } from "./find.js";

/** @import { Found } from "./find.js" */

/** The letters of a text that are shown around what was found. */
const AROUND = 150;

/** @type {ReturnType<typeof dialogOf> | undefined} */
let made;

/** Shows the search, which reads the text of the site when it is first shown. */
export function openSearch() {
  made ??= dialogOf();
  made.show();
}

function dialogOf() {
  const input = make("input", {
    type: "search",
    role: "combobox",
    placeholder: "Lessons, guides, reference, models",
    "aria-label": "Search",
    "aria-expanded": "false",
    "aria-controls": "found",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: 200,
  });
  const status = make("p", { class: "note", role: "status" });
  const list = make("div", { id: "found", role: "listbox", "aria-label": "Found" });
  const close = make("button", { type: "button" }, "Close");
  const head = make("div", { class: "search-head" }, input, close);
  const dialog = make("dialog", { class: "search", "aria-label": "Search" }, head, status, list);
  document.body.append(dialog);

  /** @type {((query: string) => Found[]) | undefined} */
  let find;
  let chosen = -1;

  /** Reads the text of the site; again after a failure. */
  async function prepare() {
    if (find) return;
    status.textContent = "Reading the pages ...";
    try {
      const response = await fetch(new URL("search.json", root));
      if (!response.ok) throw new Error(`status ${response.status}`);
      find = finder(await response.json());
      show();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      status.textContent = `The text of the pages could not be read: ${why}`;
    }
  }

  function show() {
    if (!find) return;
    const query = input.value.trim();
    const found = query === "" ? [] : find(query);
    list.replaceChildren(...found.map(resultOf));
    status.textContent =
      query === "" ? "" : found.length === 0 ? "Nothing found" : `${found.length} found`;
    input.setAttribute("aria-expanded", String(found.length > 0));
    choose(found.length > 0 ? 0 : -1);
  }

  /** @param {number} at */
  function choose(at) {
    chosen = at;
    [...list.children].forEach((each, i) => each.setAttribute("aria-selected", String(i === at)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `found-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const { length } = list.children;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step && length > 0) {
      event.preventDefault();
      choose((chosen + step + length) % length);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      /** @type {HTMLElement | undefined} */ (list.children[chosen])?.click();
    }
  });
  list.addEventListener("click", () => dialog.close()); // a result may be on this page
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());

  return {
    show() {
      if (!dialog.open) dialog.showModal();
      input.select();
      prepare();
    },
  };
}

/** A result: what it is, its heading and page, and the text around the first word. @param {Found} found @param {number} at */
function resultOf({ kind, page, title, address, text, terms }, at) {
  const where = title === page ? kind : `${kind}: ${page}`;
  return make(
    "a",
    {
      id: `found-${at}`,
      role: "option",
      tabindex: "-1",
      "aria-selected": "false",
      href: new URL(address, root).href,
    },
    make("b", {}, title),
    make("span", { class: "note" }, where),
    make("span", { class: "excerpt" }, ...excerptOf(text, terms)),
  );
}

/** @param {string} text @param {readonly string[]} terms @returns {(Node | string)[]} with the words marked */
function excerptOf(text, terms) {
  const escaped = terms.map((term) => term.replace(/[^\p{L}\p{N}]/gu, "\\$&"));
  const words = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${escaped.join("|") || "$^"})[\\p{L}\\p{N}]*`,
    "giu",
  );
  const first = Math.max(0, text.search(words));
  const begin = first < AROUND / 2 ? 0 : text.indexOf(" ", first - AROUND / 3) + 1;
  const end = text.length <= begin + AROUND ? text.length : text.lastIndexOf(" ", begin + AROUND);
  const shown = text.slice(begin, Math.max(end, begin + AROUND / 2));
  /** @type {(Node | string)[]} */
  const parts = [begin > 0 ? "… " : ""];
  let from = 0;
  for (const { 0: word, index } of shown.matchAll(words)) {
    parts.push(shown.slice(from, index), make("mark", {}, word));
    from = index + word.length;
  }
  parts.push(shown.slice(from), end < text.length ? " …" : "");
  return parts;
}
