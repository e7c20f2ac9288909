/** @import { Phasor } from "phasor" */
import { beside } from "../../app/columns.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";

/** @typedef {"exact" | "float32-angle" | "float32" | "bfloat16-table" | "bfloat16"} Way */

/** The methods drawn, and their names on the page. @type {Record<Way, string>} */
const ways = {
  exact: "exact",
  "float32-angle": "float32 angle",
  float32: "float32",
  "bfloat16-table": "bfloat16 table",
  bfloat16: "all bfloat16",
};
const names = /** @type {Way[]} */ (Object.keys(ways));

/** 1 to 2^20 in even steps of the logarithm: positions that are drawn. */
const positions = distinct(Array.from({ length: 61 }, (_, i) => Math.round(2 ** (i / 3))));

/** Rows and columns of differences that are drawn. */
const ROWS = 16;
const COLUMNS = 32;

/** Positions of the last picture. */
const HELD = 40;

const reportOf = remembered(
  /** @param {Phasor} phasor @param {number} dim @param {string} base @param {"rope" | "sinusoidal"} scheme */
  ({ rounding }, dim, base, scheme) =>
    rounding.report(positions, dim, { base: Number(base), scheme, pipelines: names }),
);

const heldOf = remembered(
  /** @param {Phasor} phasor @param {number} from @param {"bfloat16" | "float16"} format */
  ({ embedding }, from, format) => {
    const one = embedding.from([[1]]);
    const held = Float32Array.from({ length: HELD }, (_, i) => rounded(one, from + i, format));
    one.dispose();
    return held;
  },
);

page({
  pictures: {
    drift(phasor, { dim, base, scheme }) {
      const report = reportOf(phasor, dim, base, scheme);
      const lines = names.map((name) => largest(report[name]?.error.data ?? [], dim / 2));
      return waves(beside(lines), {
        title: "The largest error of any pair, by position",
        x: positions,
        labels: Object.values(ways),
        xTitle: "position (tokens)",
        yTitle: "largest error of sine or cosine",
        xScale: "log",
        yScale: "log",
      });
    },

    pairs({ rounding }, { dim, base, scheme, position }) {
      const given = { base: Number(base), scheme, pipelines: names };
      const report = rounding.report([Number(position)], dim, given);
      return waves(beside(names.map((name) => report[name]?.error.data ?? [])), {
        title: `The error of every pair at position ${count(Number(position))}`,
        labels: Object.values(ways),
        xTitle: "pair",
        yTitle: "error of sine or cosine",
        yScale: "log",
      });
    },

    difference({ sinusoidal }, { dim, base, position }) {
      const from = Number(position);
      const exact = sinusoidal.table(ROWS, dim, { base: Number(base), offset: from });
      const torch = sinusoidal.table(ROWS, dim, {
        base: Number(base),
        offset: from,
        precision: "torch",
      });
      const columns = Math.min(COLUMNS, dim);
      const data = Float32Array.from({ length: ROWS * columns }, (_, i) => {
        const at = Math.floor(i / columns) * dim + (i % columns);
        return Number(torch.data[at]) - Number(exact.data[at]);
      });
      return heatmap(
        { data, shape: [ROWS, columns] },
        {
          title: "float32 less exact",
          rowTitle: "position",
          columnTitle: "dimension",
          rowLabels: Array.from({ length: ROWS }, (_, i) => count(from + i)),
        },
      );
    },

    held(phasor, { from, format }) {
      const held = heldOf(phasor, from, format);
      const x = Array.from({ length: HELD }, (_, i) => from + i);
      return waves(beside([x, held]), {
        title: `The position that ${format} holds`,
        x,
        labels: ["the position", `as ${format}`],
        xTitle: "position (tokens)",
        yTitle: "number held",
        points: true,
      });
    },
  },

  facts: {
    exact: (phasor, { dim, base, scheme }) =>
      brief(reportOf(phasor, dim, base, scheme).exact?.max ?? NaN),
    float32: (phasor, { dim, base, scheme }) =>
      brief(reportOf(phasor, dim, base, scheme).float32?.max ?? NaN),
    furthest: (phasor, { dim, base, scheme }) =>
      count(reportOf(phasor, dim, base, scheme).float32?.position ?? NaN),
    drawn: () => count(HELD),
    distinct: (phasor, { from, format }) =>
      count(distinct([...heldOf(phasor, from, format)]).length),
    "table-error": ({ rounding }) =>
      brief(
        rounding.report(4096, 128, { pipelines: ["bfloat16-table"] })["bfloat16-table"]?.max ?? NaN,
      ),
    "all-error": ({ rounding }) =>
      brief(rounding.report(4096, 128, { pipelines: ["bfloat16"] }).bfloat16?.max ?? NaN),
  },

  questions: {
    "which-pair"({ rounding }) {
      const { float32 } = rounding.report([1e6], 128, { pipelines: ["float32"] });
      const { pair = NaN, max = NaN, error } = float32 ?? {};
      const answer = pair === 0 ? "first" : pair < 32 ? "next" : "last";
      return {
        answer,
        because: {
          first: `Pair 0 has rotated furthest, but its frequency is exactly 1, so nothing is rounded before the sine: it is off by ${brief(Number(error?.data[0]))}, pair ${pair} by ${brief(max)}.`,
          next: `Pair ${pair} is off by ${brief(max)}, pair 0 by ${brief(Number(error?.data[0]))}, the last by ${brief(Number(error?.data[63]))}.`,
          last: `Rounding is relative: a small frequency has a small error, and the last pair is off by ${brief(Number(error?.data[63]))} only. Pair ${pair} is off by ${brief(max)}.`,
        },
      };
    },
    "first-lost"({ embedding }) {
      const one = embedding.from([[1]]);
      let first = 0;
      while (rounded(one, first, "bfloat16") === first) ++first;
      const held = rounded(one, first, "bfloat16");
      one.dispose();
      return {
        answer: String(first),
        because: {
          129: `8 binary digits are enough for all numbers up to 256. ${count(first)} becomes ${count(held)}.`,
          257: `bfloat16 rounds ${count(first)} to ${count(held)}: with 8 binary digits it counts to 256 and then in steps of two.`,
          2049: `That is the first of float16, which has 11 binary digits. bfloat16 rounds ${count(first)} to ${count(held)}.`,
          65537: `bfloat16 has 16 bits, but only 8 of them are digits of the number: it rounds ${count(first)} to ${count(held)}.`,
        },
      };
    },
    "exercise-bfloat16"({ embedding }) {
      const one = embedding.from([[1]]);
      const held = rounded(one, 1003, "bfloat16");
      one.dispose();
      return {
        answer: held,
        because: `The multiple of 4 nearest to 1,003 is ${count(held)}.`,
        near: [{ value: 1000, because: "That is a multiple of 4. Is it the nearest?" }],
      };
    },
    "exercise-far"({ rounding }) {
      const powers = [1e3, 1e4, 1e5, 1e6];
      const errors = powers.map(
        (p) => rounding.report([p], 128, { pipelines: ["float32"] }).float32?.max ?? NaN,
      );
      const first = errors.findIndex((error) => error > 0.001);
      const said = powers.map((p, i) => `${brief(errors[i])} at ${count(p)}`);
      return {
        answer: String(powers[first]),
        because: `The largest errors are ${said.join(", ")}.`,
      };
    },
  },

  code: {
    drift: (_, { dim, base, scheme }) => `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { figures } from "phasor/plots";

const { rounding } = await load();
const { waves } = figures({ Plot });

const positions = Array.from({ length: 21 }, (_, i) => 2 ** i);
const pipelines = ["float32", "bfloat16"];
const report = rounding.report(positions, ${dim}, { base: ${base}, scheme: "${scheme}", pipelines });

// The largest error of any pair, for each position: [21, 2].
const lines = positions.map((_, t) =>
  pipelines.map((name) => Math.max(...report[name].error.row(t).data)),
);
display(
  waves(lines, {
    x: positions,
    labels: pipelines,
    xTitle: "position (tokens)",
    yTitle: "largest error",
    xScale: "log",
    yScale: "log",
  }),
);
`,
  },
});

/** The largest of each row. @param {ArrayLike<number | bigint>} errors @param {number} width */
function largest(errors, width) {
  const rows = new Float64Array(errors.length / width);
  for (let i = 0; i < errors.length; ++i) {
    const row = Math.floor(i / width);
    rows[row] = Math.max(rows[row], Number(errors[i]));
  }
  return rows;
}

/**
 * A number as a 16-bit format holds it: a table of a single 1, looked up with it as the scale.
 * @param {ReturnType<Phasor["embedding"]["create"]>} one @param {number} x @param {"bfloat16" | "float16"} format
 */
function rounded(one, x, format) {
  return Number(one.lookup([0], { scale: x, scaleDtype: format }).data[0]);
}

/** @param {number[]} list */
function distinct(list) {
  return [...new Set(list)];
}
