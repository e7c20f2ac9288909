/** @import { Table } from "../app/models/table.js" */
import { quoted } from "../app/models/label.js";
import { set } from "../app/controls.js";
import { byId, make } from "../app/dom.js";
import { showError } from "../app/errors.js";
import { count } from "../app/numbers.js";

/** Words suggested at a time. */
const SUGGESTED = 8;

/**
 * A control for one word of the table. While the reader types, the words that begin so stand below it
 * as buttons, or near spellings; an error is told only when the reader has typed to the end.
 *
 * @param {string} name  of the control
 * @param {() => Table} table  that is open
 * @param {() => number} otherwise  the word that an empty field stands for; -1: none
 */
export function wordField(name, table, otherwise) {
  const input = /** @type {HTMLInputElement} */ (byId(name));
  const kind = make("p", { class: "note", role: "status" });
  const list = make("ul", { "aria-label": "Suggested words" });
  const suggestions = make("div", { class: "suggestions", hidden: true }, kind, list);
  byId(`${name}-wrong`).after(suggestions);
  const field = /** @type {HTMLElement} */ (input.closest(".field"));
  let typing = false;
  let last = Math.max(0, table().idOf(input.defaultValue));

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
    const { words, size, idOf, alike, ...spelling } = table();
    const text = input.value;
    const id = text.trim() === "" && text !== " " ? otherwise() : idOf(text);
    const begun = id < 0 || typing ? spelling.beginning(text, SUGGESTED) : [];
    const others = id >= 0 && text !== "" ? alike(id).map((each) => words[each]) : [];
    if (begun.length > 0) suggest(begun, "Begin so:");
    else if (id < 0) suggest(spelling.near(text, SUGGESTED), "Spelled nearly so:");
    else suggest(others, "Tokens of their own:");
    const patient = typing && (begun.length > 0 || text.trim() === "");
    showError(name, id >= 0 || patient ? "" : complaint(text, table()));
    if (id < 0 && !patient) tellPieces(text);
    if (id >= 0) last = id;
    return Math.min(last, size - 1);
  }

  /** What the text would be cut into, if that is known. @param {string} text */
  async function tellPieces(text) {
    const of = table();
    const pieces = await of.pieces(text);
    if (pieces === "" || input.value !== text || table() !== of) return;
    showError(name, `${complaint(text, of)} The tokenizer cuts it into ${pieces}.`);
  }

  /** @param {string[]} offered @param {string} what */
  function suggest(offered, what) {
    suggestions.hidden = offered.length === 0;
    kind.textContent = what;
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

  /** Another table is open: the same word there, if it has it. @param {boolean} isExact  as it is spelt */
  function begin(isExact) {
    const { idOf, wordOf, words } = table();
    typing = false;
    const text = input.value;
    if (text.trim() === "") return;
    const exact = idOf(text);
    const plain = wordOf(text.replace(/^[\s\u2423]+|^##/, "").trim());
    const id = isExact && exact >= 0 ? exact : plain >= 0 ? plain : exact;
    last = Math.max(0, id);
    set(name, words[last]);
  }

  return { read, begin };
}

/** @param {string} text @param {Table} table */
function complaint(text, { noun, size }) {
  if (text.trim() === "") return `A ${noun} is missing: one of the ${count(size)}.`;
  return noun === "word"
    ? `${quoted(text)} is not among the ${count(size)} words.`
    : `${quoted(text)} is no single token, of the ${count(size)} that there are.`;
}
