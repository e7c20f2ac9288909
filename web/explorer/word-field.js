/** @import { Table } from "../app/models/table.js" */
import { quoted } from "../app/models/label.js";
import { set } from "../app/controls.js";
import { byId, make } from "../app/dom.js";
import { showError } from "../app/errors.js";
import { count, some } from "../app/numbers.js";

/** The number of suggestions. */
const SUGGESTED = 8;

/**
 * A control for a word of the table. While the reader types, it suggests words that begin with the text or
 * have a similar spelling. It shows an error only when the reader leaves the field.
 *
 * @param {string} name  of the control
 * @param {() => Table} table  that is open
 * @param {() => number} otherwise  the word of an empty field; -1: none
 * @param {boolean} isNeeded  whether a table without the word has another one: its first
 */
export function wordField(name, table, otherwise, isNeeded) {
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

  /** The word's id; that of the last word while the text is not one, -1 if the table has had none. */
  function read() {
    const { words, size, idOf, alike, coming, ...spelling } = table();
    const text = input.value;
    const isComing = coming?.has(text) ?? false;
    const id = text.trim() === "" && text !== " " ? otherwise() : idOf(text);
    const begun = id < 0 || typing ? spelling.beginning(text, SUGGESTED) : [];
    const others = id >= 0 && text !== "" ? alike(id).map((each) => words[each]) : [];
    if (isComing) suggest([], `${quoted(text)} is among the words that are not here yet.`, true);
    else if (begun.length > 0) suggest(begun, beginningWith(text, id, table()));
    else if (id < 0) suggest(spelling.near(text, SUGGESTED), "Similar spelling:");
    else suggest(others, "Similar tokens:");
    const patient = isComing || (typing && (begun.length > 0 || text.trim() === ""));
    showError(name, id >= 0 || patient ? "" : complaint(text, table()));
    if (id < 0 && !patient) tellPieces(text);
    if (id >= 0) last = id;
    return Math.min(last, size - 1);
  }

  /** Shows how the tokenizer would split the text. @param {string} text */
  async function tellPieces(text) {
    const of = table();
    const pieces = await of.pieces(text);
    if (pieces === "" || input.value !== text || table() !== of) return;
    showError(name, `${complaint(text, of)} The tokenizer splits it into ${pieces}.`);
  }

  /** @param {string[]} offered @param {string} what @param {boolean} [isShown] */
  function suggest(offered, what, isShown = offered.length > 0) {
    suggestions.hidden = !isShown;
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

  /** Chooses the same word in a table that has been opened, if it has it. @param {boolean} isExact  with the same spelling */
  function begin(isExact) {
    const { idOf, wordOf, words } = table();
    typing = false;
    const text = input.value;
    if (text.trim() === "") return;
    const exact = idOf(text);
    const plain = wordOf(text.replace(/^[\s\u2423]+|^##/, "").trim());
    const id = isExact && exact >= 0 ? exact : plain >= 0 ? plain : exact;
    last = isNeeded ? Math.max(0, id) : id;
    if (last >= 0) set(name, words[last]);
  }

  return { read, begin };
}

/** @param {string} text @param {number} id  of the text; -1 if it is no word @param {Table} table */
function beginningWith(text, id, { noun }) {
  const lacks = id < 0 ? `${quoted(text)} is not a ${noun} of this table. ` : "";
  return `${lacks}${noun === "word" ? "Words" : "Tokens"} that begin with it:`;
}

/** @param {string} text @param {Table} table */
function complaint(text, { noun, coming, size: present }) {
  const size = coming?.size ?? present;
  if (text.trim() === "") return `Type one of the ${count(size)} ${noun}s.`;
  return noun === "word"
    ? `${quoted(text)} is not among the ${some(size, noun)}.`
    : `${quoted(text)} is not one of the ${some(size, noun)}.`;
}
