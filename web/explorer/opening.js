// Other tables than GloVe: the drawer in which the reader opens them, and their columns.

/** @import { Table } from "../app/models/table.js" */
/** @import { Page } from "../app/page.js" */
import { set } from "../app/controls.js";
import { byId } from "../app/dom.js";
import { inWords } from "../app/errors.js";
import { modelTable } from "../app/models/opened.js";
import { opener } from "../app/models/opener.js";
import { columnsOf } from "./columns.js";
import { drawer } from "./drawer.js";

/**
 * What is shown anew with another table, and GloVe.
 * @typedef {object} Parts
 * @property {readonly ReturnType<typeof import("./word-field.js").wordField>[]} fields
 * @property {() => Promise<Table>} glove
 */

/** @param {Page} app @param {Parts} parts */
export function addOpening(app, parts) {
  const { open, close, moveBack } = drawer();
  const openAgain = opener({
    open: modelTable,
    linked: open,
    opened: (next, isExact) => show(app, next, isExact, { ...parts, isSecond: close() }),
  });
  const showColumns = columnsOf(openAgain);
  app.cell((_, { table }) => table, showColumns);
  moveBack();
}

/**
 * Shows a table that was opened, or GloVe again.
 * @param {Page} app @param {Table | undefined} next @param {boolean} isExact
 * @param {Parts & {isSecond: boolean}} options
 */
async function show({ made, change }, next, isExact, { isSecond, fields, glove }) {
  if (isSecond && next) {
    made.other?.close();
    set("model", made.table.hub); // the page's address names the first
    byId("back").hidden = !made.own;
    return change({ other: next });
  }
  const before = made.own;
  change({ own: next });
  const wrong = (/** @type {Error} */ error) => void change({ wrong: inWords(error.message) });
  const table = next ?? (await glove().catch(wrong));
  if (!table || made.own !== next) return;
  change({ table, whole: table, wrong: "", pointed: undefined });
  if (!isExact) set("view", "");
  for (const field of fields) field.begin(isExact);
  if (before !== next) before?.close();
}
