// The schemes side by side, for a model that the reader sets.

/** @import { Sizes } from "../../app/schemes/schemes.js" */
import { page } from "../../app/page.js";
import { schemesTable } from "../../app/schemes/table.js";
import { reachOf } from "./reach.js";
import "./style.css";

page({
  facts: {
    reach: (phasor, { dim, heads, trained, length }) =>
      reachOf(phasor, /** @type {Sizes} */ ({ dim, heads, trained, length })),

    table: (phasor, { dim, heads, trained, length }) =>
      schemesTable(phasor, /** @type {Sizes} */ ({ dim, heads, trained, length })),
  },
});
