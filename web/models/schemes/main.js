// The schemes side by side, for a model that the reader sets.

/** @import { Sizes } from "../../app/schemes/schemes.js" */
import { copy } from "../../app/copy.js";
import { byId } from "../../app/dom.js";
import { save } from "../../app/exports.js";
import { page } from "../../app/page.js";
import { schemesCsv, schemesTable } from "../../app/schemes/table.js";
import { reachOf } from "./reach.js";
import "./style.css";

page({
  begin({ phasor, controls }) {
    byId("csv").addEventListener("click", () => {
      const { dim, heads, trained, length } = controls;
      const csv = schemesCsv(phasor, /** @type {Sizes} */ ({ dim, heads, trained, length }));
      save(new Blob([csv], { type: "text/csv" }), "phasor-schemes.csv");
    });
    byId("link").addEventListener("click", () => copy(location.href, byId("link-note")));
  },

  facts: {
    reach: (phasor, { dim, heads, trained, length }) =>
      reachOf(phasor, /** @type {Sizes} */ ({ dim, heads, trained, length })),

    table: (phasor, { dim, heads, trained, length }) =>
      schemesTable(phasor, /** @type {Sizes} */ ({ dim, heads, trained, length })),
  },
});
