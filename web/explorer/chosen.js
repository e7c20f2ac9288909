/** @import { Table } from "../app/models/table.js" */
import { set } from "../app/controls.js";
import { byId } from "../app/dom.js";

/** Chooses a word. @param {Table} table @param {number} id */
export function go(table, id) {
  set("word", table.words[id]);
}

/** @param {string} id  of an element of the section */
export function section(id) {
  return /** @type {HTMLElement} */ (byId(id).closest("section"));
}
