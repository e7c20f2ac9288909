/** @import { Table } from "./table.js" */
import { blame, set } from "../site/controls.js";
import { byId, make } from "../site/dom.js";
import { count } from "../site/numbers.js";
import { beginning, near } from "./spelling.js";

/** Words suggested at a time. */
const SUGGESTED = 8;

/** Letters of a typed text that are repeated to the reader. */
const REPEATED = 40;

/**
 * A control for one word of the table. While the reader types, the words that begin so stand below it
 * as buttons, or near spellings; an error is told only when the reader has typed to the end.
 *
 * @param {string} name  of the control
 * @param {Table} table
 * @param {() => number} otherwise  the word that an empty field stands for; -1: none
 */
export function wordField(name, { words, size, idOf }, otherwise) {
  const input = /** @type {HTMLInputElement} */ (byId(name));
  const kind = make("p", { class: "note", role: "status" });
  const list = make("ul", { "aria-label": "Suggested words" });
  const suggestions = make("div", { class: "suggestions", hidden: true }, kind, list);
  byId(`${name}-wrong`).after(suggestions);
  const field = /** @type {HTMLElement} */ (input.closest(".field"));
  let typing = false;
  let last = Math.max(0, idOf(input.defaultValue));

  const done = () => {
    typing = false;
    read();
  };
  input.addEventListener("input", () => (typing = input.matches(":focus")), { capture: true });
  input.addEventListener("keydown", ({ key }) => key === "Enter" && done());
  field.addEventListener("focusout", ({ relatedTarget }) => {
    if (!field.contains(/** @type {Node | null} */ (relatedTarget))) done();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus

  /** The word's id; while the text is no word the one before it. */
  function read() {
    const text = input.value;
    const id = text.trim() === "" ? otherwise() : idOf(text);
    const begun = id < 0 || typing ? beginning(words, text, SUGGESTED) : [];
    const offered = id < 0 && begun.length === 0 ? near(words, text, SUGGESTED) : begun;
    suggest(offered, begun.length > 0);
    const patient = typing && (begun.length > 0 || text.trim() === "");
    blame(name, id >= 0 || patient ? "" : complaint(text, size));
    if (id >= 0) last = id;
    return last;
  }

  /** @param {string[]} offered @param {boolean} begun */
  function suggest(offered, begun) {
    suggestions.hidden = offered.length === 0;
    kind.textContent = begun ? "Begin so:" : "Spelled nearly so:";
    list.replaceChildren(
      ...offered.map((word) => {
        const button = make("button", { type: "button" }, word);
        button.addEventListener("click", () => {
          input.focus();
          set(name, word);
          done();
        });
        return make("li", {}, button);
      }),
    );
  }

  return { read };
}

/** @param {string} text @param {number} size */
function complaint(text, size) {
  if (text.trim() === "") return `A word is missing: one of the ${count(size)}.`;
  return `${quoted(text)} is not among the ${count(size)} words.`;
}

/** What somebody typed, as part of a sentence. @param {string} text */
export function quoted(text) {
  const letters = Array.from(text.trim().slice(0, 2 * REPEATED + 2));
  const cut = letters.slice(0, REPEATED).join("");
  return `\u201c${letters.length > REPEATED ? `${cut}\u2026` : cut}\u201d`;
}
