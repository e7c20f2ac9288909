/** @import { Table } from "../app/models/table.js" */
/** @import { Wish } from "../app/models/tasks.js" */
import { byId } from "../app/dom.js";

/**
 * Which columns of the reader's own table are its labels and its colors.
 *
 * @param {(wish: Omit<Wish, "kept">) => Promise<void>} open  reads the table again
 * @returns {(table: Table) => void} shows those of a table
 */
export function columnsOf(open) {
  const place = byId("columns");
  const fields = ["label", "color"].map((name) => {
    const field = /** @type {HTMLSelectElement} */ (byId(`${name}-column`));
    return { name, field };
  });
  /** @type {Table["choice"]} */
  let choice;
  for (const { name, field } of fields) {
    field.addEventListener("change", () => {
      const { wish, label, color } = /** @type {NonNullable<typeof choice>} */ (choice);
      open({ ...wish, label, color, [name]: field.value });
    });
  }
  return (table) => {
    choice = table.choice;
    place.hidden = !choice || choice.names.length === 0;
    if (!choice) return;
    const { names } = choice;
    for (const { name, field } of fields) {
      const chosen = choice[/** @type {"label" | "color"} */ (name)];
      const none = name === "color" ? [new Option("none", "")] : [];
      field.replaceChildren(...none, ...names.map((text) => new Option(text, text)));
      field.value = chosen;
    }
  };
}
