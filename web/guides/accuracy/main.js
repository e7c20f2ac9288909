// The charts of the measured errors; the numbers were measured when the site was built.

import * as Plot from "@observablehq/plot";
import { figures } from "phasor/plots";
import charts from "virtual:accuracy";
import { byId } from "../../app/dom.js";
import { exportsOf } from "../../app/exports.js";
import { inColors } from "../../app/meanings.js";
import "./style.css";

const { waves } = figures({ Plot });

/** The largest error that is promised. Its line is named beside the others, which begin where it would have its label. */
const PROMISED = 2.99e-8;

/**
 * @param {string} id @param {import("../../../scripts/data/accuracy.js").Chart} chart
 * @param {object} more  options of the figure
 */
function show(id, { x, labels, rows }, more) {
  const data = rows.map((row) => [...row, PROMISED]);
  const options = {
    x,
    labels: [...labels, "promised"],
    means: ["position", "ink", "quiet", "quiet"],
    xScale: "log",
    yScale: "log",
    yTitle: "largest absolute error",
    yDomain: [1e-8, 10],
    ...more,
  };
  const figure = waves(data, inColors({ kind: "waves", data, options }, "position"));
  const shape = [rows.length, labels.length];
  figure.append(exportsOf(figure, { name: id, tensor: () => ({ data: rows.flat(), shape }) }));
  byId(id).replaceChildren(figure);
}

show("by-position", charts.byPosition, {
  title: "Largest error by position",
  xTitle: "position (tokens)",
});
show("by-frequency", charts.byFrequency, {
  title: "Largest error by frequency",
  xTitle: "frequency (radians per token)",
});
