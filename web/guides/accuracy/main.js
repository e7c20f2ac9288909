// The charts of the measured errors; the numbers were measured when the site was built.

import * as Plot from "@observablehq/plot";
import { figures } from "phasor/plots";
import charts from "virtual:accuracy";
import { byId } from "../../app/dom.js";
import { exportsOf } from "../../app/exports.js";
import "./style.css";

const { waves } = figures({ Plot });

/**
 * @param {string} id @param {import("../../../scripts/data/accuracy.js").Chart} chart
 * @param {object} options
 */
function show(id, { x, labels, rows }, options) {
  const figure = waves(rows, {
    x,
    labels,
    xScale: "log",
    yScale: "log",
    yTitle: "largest absolute error",
    yDomain: [1e-8, 10],
    rules: [{ y: 2.99e-8, label: "promised" }],
    ...options,
  });
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
