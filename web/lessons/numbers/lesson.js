/** @import { Phasor } from "phasor" */
/** @import { Row } from "./line.js" */
import { Tensor } from "phasor";
import { beside } from "../../app/columns.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { showLine } from "./line.js";

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

/** @typedef {"float32" | "float16" | "bfloat16"} Format */

/** The binary digits of each format. @type {Record<Format, number>} */
const DIGITS = { bfloat16: 8, float16: 11, float32: 24 };
const formats = /** @type {Format[]} */ (Object.keys(DIGITS));

/** How far the number line goes, in gaps of a format, and the points of the stairs. */
const REACH = 2.5;
const POINTS = 81;

/** Marks of a number line that do not overlap. */
const MOST = 100;

const reportOf = remembered(
  /** @param {Phasor} phasor @param {number} dim @param {string} base @param {"rope" | "sinusoidal"} scheme */
  ({ rounding }, dim, base, scheme) =>
    rounding.report(positions, dim, { base: Number(base), scheme, pipelines: names }),
);

/** The positions of the last picture as a format has them. @param {number} from @param {Format} format */
function heldFrom(from, format) {
  return Float32Array.from({ length: HELD }, (_, i) => rounded(from + i, format));
}

/** The step between the numbers of a format at a value. @param {number} x @param {Format} format */
function gapAt(x, format) {
  return 2 ** (Math.floor(Math.log2(x)) + 1 - DIGITS[format]);
}

/** The number line around a value, wide enough for its neighbors in a format. @param {number} value @param {Format} zoom */
function lineAt(value, zoom) {
  const reach = REACH * gapAt(value, zoom);
  return { value, from: value - reach, to: value + reach };
}

/** The numbers of a format on a number line. @param {ReturnType<typeof lineAt>} line @param {Format} format @returns {Row} */
function rowOf({ value, from, to }, format) {
  const gap = gapAt(value, format);
  const steps = Math.ceil((4 * (to - from)) / gap); // the gap may be half as wide below a power of two
  const all = (to - from) / gap > MOST ? undefined : distinct(sampled(from, to, steps, format));
  const nearest = rounded(value, format);
  const isHeld = nearest === value;
  const words = isHeld
    ? `represents ${exactly(value)} exactly; its numbers are ${exactly(gap)} apart here.`
    : `rounds to ${exactly(nearest)}; its numbers are ${exactly(gap)} apart here.`;
  return { name: format, numbers: all?.filter((x) => x >= from && x <= to), nearest, words };
}

/** @param {number} from @param {number} to @param {number} steps */
function pointsOf(from, to, steps) {
  return Array.from({ length: steps + 1 }, (_, i) => from + (i / steps) * (to - from));
}

/** What a format makes of points between two values. @param {number} from @param {number} to @param {number} steps @param {Format} format */
function sampled(from, to, steps, format) {
  return pointsOf(from, to, steps).map((x) => rounded(x, format));
}

/** A number with as many digits as it needs, up to nine. @param {number} x */
function exactly(x) {
  return x >= 0.001 ? x.toLocaleString("en", { maximumSignificantDigits: 9 }) : brief(x);
}

page({
  begin({ cell }) {
    cell(
      ({ value, zoom }) => {
        const line = lineAt(value, zoom);
        return { ...line, rows: formats.map((format) => rowOf(line, format)) };
      },
      (shown) => showLine(byId("line"), shown),
    );
  },

  pictures: {
    stairs(_, { value, zoom }) {
      const { from, to } = lineAt(value, zoom);
      const lines = formats.map((format) => sampled(from, to, POINTS - 1, format));
      return waves(beside(lines), {
        title: `Values near ${exactly(value)}, rounded to each format`,
        x: pointsOf(from, to, POINTS - 1),
        labels: formats,
        xTitle: "value",
        yTitle: "number in the format",
        rules: [{ x: value, label: "x" }],
      });
    },

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

    pairs({ rounding }, { dim, base, scheme, position }, { guess }) {
      const guessed = { first: 0, next: 1, last: dim / 2 - 1 }[String(guess["which-pair"])];
      const given = { base: Number(base), scheme, pipelines: names };
      const report = rounding.report([Number(position)], dim, given);
      return waves(beside(names.map((name) => report[name]?.error.data ?? [])), {
        title: `The error of every pair at position ${count(Number(position))}`,
        labels: Object.values(ways),
        xTitle: "pair",
        yTitle: "error of sine or cosine",
        yScale: "log",
        rules:
          guessed === undefined
            ? []
            : [{ x: guessed, label: guessed === 1 ? "your guess: from here on" : "your guess" }],
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
          title: "float32 minus exact",
          rowTitle: "position",
          columnTitle: "dimension",
          rowLabels: Array.from({ length: ROWS }, (_, i) => count(from + i)),
        },
      );
    },

    held(_, { from, format }) {
      const held = heldFrom(from, format);
      const x = Array.from({ length: HELD }, (_, i) => from + i);
      return waves(beside([x, held]), {
        title: `The position as ${format}`,
        x,
        labels: ["the position", `as ${format}`],
        xTitle: "position (tokens)",
        yTitle: "number in the format",
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
    distinct: (_, { from, format }) => count(distinct([...heldFrom(from, format)]).length),
    guessed(_, __, { guess }) {
      const number = Number(guess["first-lost"] ?? 257);
      const to = rounded(number, "bfloat16");
      const made =
        to === number ? "bfloat16 can represent it" : `bfloat16 rounds it to ${count(to)}`;
      return `${guess["first-lost"] ? "Your guess" : "The answer"} was ${count(number)}: ${made}.`;
    },
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
          first: `Pair 0 has rotated furthest, but its frequency is exactly 1, so nothing is rounded before the sine: its error is ${brief(Number(error?.data[0]))}, that of pair ${pair} is ${brief(max)}.`,
          next: `The error of pair ${pair} is ${brief(max)}, that of pair 0 is ${brief(Number(error?.data[0]))}, and that of the last pair ${brief(Number(error?.data[63]))}.`,
          last: `Rounding is relative: a small frequency has a small error. The last pair is off only by ${brief(Number(error?.data[63]))}, pair ${pair} by ${brief(max)}.`,
        },
      };
    },
    "first-lost"() {
      let first = 1;
      while (rounded(first, "bfloat16") === first) ++first;
      const found = `bfloat16 rounds ${count(first)} to ${count(rounded(first, "bfloat16"))}`;
      return {
        answer: String(first),
        because: {
          129: `7 digits are enough up to 128, and bfloat16 has one more: the first is hidden, since it is always 1. ${found}.`,
          257: `${found}. Its 8 digits are enough up to 256 = 2⁸; from there on it counts in steps of two.`,
          2049: `That is the first one that float16 cannot represent, which has 11 binary digits. ${found}.`,
          65537: `bfloat16 has 16 bits, but only 8 of them are digits: the others hold the sign and the power of two. ${found}.`,
        },
      };
    },
    same({ rounding }) {
      const [a, b] = [1000, 1001].map((t) => rounded(t, "bfloat16"));
      const error = (/** @type {number} */ t) =>
        brief(rounding.report([t], 128, { pipelines: ["bfloat16"] }).bfloat16?.max ?? NaN);
      const found = `bfloat16 rounds 1,000 to ${count(a)} and 1,001 to ${count(b)}. The sines and cosines of 1,001 are off by up to ${error(1001)}`;
      return {
        answer: a === b ? "equal" : "near",
        because: {
          equal: `${found}: they belong to a different position.`,
          near: `That is true if only the sines are rounded. Here the positions are rounded first: near 1,000, bfloat16 can represent every fourth integer. ${found}.`,
          wrong: `Both are rounded to a multiple of 4, and the nearest is the same for both. ${found}.`,
        },
      };
    },
    "exercise-bfloat16"() {
      const held = rounded(1003, "bfloat16");
      return {
        answer: held,
        because: `The multiple of 4 nearest to 1,003 is ${count(held)}.`,
        near: [
          { value: 1000, because: "That is a multiple of 4. Is it the nearest?" },
          {
            value: 1003,
            because: "1,003 is not a multiple of 4, so bfloat16 cannot represent it.",
          },
        ],
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
        because: Object.fromEntries(
          powers.map((power, i) => [
            power,
            i < first
              ? `There the largest error is only ${brief(errors[i])}. The frequency of a fast pair is rounded, and its product with t again: the angle is off by at most t × 2⁻²³, here ${brief(power * 2 ** -23)}.`
              : i === first
                ? `The largest errors are ${said.join(", ")}. The frequency of a fast pair is rounded, and its product with t again. So its angle, of nearly t radians, is off by at most t × 2⁻²³, here ${brief(power * 2 ** -23)}; what is found is less than that bound.`
                : `There the largest error is ${brief(errors[i])}, but is it the first?`,
          ]),
        ),
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

/** The nearest number of a format. @param {number} x @param {Format} format */
function rounded(x, format) {
  const exact = new Tensor(Float64Array.of(x), [1]);
  return Number(exact.as(format).as("float32").data[0]);
}

/** @param {number[]} list */
function distinct(list) {
  return [...new Set(list)];
}
