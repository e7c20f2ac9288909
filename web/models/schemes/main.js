// The schemes side by side, for a model that the reader sets.

/** @import { Sizes } from "../../app/schemes/schemes.js" */
import { page } from "../../app/page.js";
import { schemesTable } from "../../app/schemes/table.js";

page({
  facts: {
    table: (phasor, { dim, heads, trained, length }) =>
      schemesTable(phasor, /** @type {Sizes} */ ({ dim, heads, trained, length })),
  },
});
