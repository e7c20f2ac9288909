/** @import { Token } from "./tokens.js" */
import { make } from "../dom.js";

/** Tokens with their ids as items of a list. @param {readonly Token[]} tokens */
export function chips(tokens) {
  const list = document.createDocumentFragment();
  list.append(
    ...tokens.map(({ label, id }) =>
      make(
        "li",
        { class: id === null ? "without" : "" },
        make("span", { class: "token" }, label),
        make("span", { class: "id" }, id === null ? "not in the table" : String(id)),
      ),
    ),
  );
  return list;
}
