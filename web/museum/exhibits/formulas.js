// Bugs of formulas that are nearly right.

/** @import { Phasor } from "phasor" */
/** @import { Exhibit } from "./exhibits.js" */
import { brief, count } from "../../app/numbers.js";
import { choice, compared } from "./compared.js";

/** A number of heads that is not a power of two. */
const HEADS = 12;

/** The slopes of ALiBi’s heads. @param {Phasor} phasor @param {boolean} bug */
function slopesOf({ alibi }, bug) {
  if (!bug) return Array.from(alibi.slopes(HEADS).data, Number);
  return Array.from({ length: HEADS }, (_, head) => 2 ** ((-8 * (head + 1)) / HEADS));
}

/** The head with the least slope, counted from 1. @param {number[]} slopes */
function flattest(slopes) {
  return slopes.indexOf(Math.min(...slopes)) + 1;
}

/** @type {Exhibit} */
export const slopes = {
  judge(phasor) {
    const [right, program] = [false, true].map((bug) => flattest(slopesOf(phasor, bug)));
    return {
      answer: right,
      because: `Head ${count(right)}, the last of eight: heads 9 to 12 get every second slope of sixteen heads, which are steep again. With the simple formula it would be head ${count(program)}.`,
      near: [
        {
          value: program,
          because: "That would be right if the simple formula held for every number of heads.",
        },
      ],
    };
  },
  value: (phasor, bug) => `head ${count(flattest(slopesOf(phasor, bug)))}`,
  picture: (phasor, bug) =>
    compared(slopesOf(phasor, false), slopesOf(phasor, bug), {
      title: `The slopes of ${HEADS} heads`,
      x: Array.from({ length: HEADS }, (_, head) => head + 1),
      xTitle: "head",
      yTitle: "slope (per token)",
      yScale: "log",
      points: true,
    }),
};

/** T5’s encoder: half of the buckets for tokens behind, half for tokens ahead. */
const BUCKETS = 32;
const SIDE = BUCKETS / 2;
const EXACT = SIDE / 2;
const FURTHEST = 128;

/** Distances behind the query. */
const BEHIND = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 127, 128, 192, 256, 384, 512, 768, 1000];

/** The buckets of tokens behind the query. @param {Phasor} phasor @param {boolean} bug @param {readonly number[]} [distances] */
function bucketsOf({ t5Bias }, bug, distances = BEHIND) {
  const { data } = t5Bias.bucket(distances.map((distance) => -distance));
  if (!bug) return Array.from(data, Number);
  const share = (/** @type {number} */ n) => Math.log(n / EXACT) / Math.log(FURTHEST / EXACT);
  return distances.map((n, i) => {
    if (n < FURTHEST) return Number(data[i]);
    return EXACT + Math.floor(share(n) * (SIDE - EXACT)); // without min(…, 15)
  });
}

/** @type {Exhibit} */
export const bucket = {
  judge(phasor) {
    const [program] = bucketsOf(phasor, true, [1000]);
    const { data } = phasor.t5Bias.bucket([1, 2, 3, 4, 5, 6, 7]);
    const ahead = Array.from(data, Number).indexOf(program) + 1;
    return choice(
      program < SIDE ? "last" : program < BUCKETS ? "ahead" : "error",
      `It reads bucket ${count(program)}, and buckets from ${count(SIDE)} on are for tokens ahead: a token 1,000 behind gets the bias of one ${count(ahead)} ahead.`,
      {
        last: "Without the minimum, the result goes beyond the last one.",
        ahead: "It reads on into the other half of the table.",
        error: "For tokens ahead it would. For tokens behind, the other half of the table follows.",
      },
    );
  },
  value: (phasor, bug) => count(bucketsOf(phasor, bug, [1000])[0]),
  picture: (phasor, bug) =>
    compared(bucketsOf(phasor, false), bucketsOf(phasor, bug), {
      title: "The bucket of a token behind the query",
      x: BEHIND,
      xScale: "log",
      xTitle: "distance (tokens)",
      yTitle: "bucket",
      yDomain: [0, BUCKETS - 1],
      rules: [{ y: SIDE, label: "from here on: tokens ahead" }],
      points: true,
    }),
};

/** The width of a diffusion model’s time embedding that is shown. */
const DIM = 64;

/** The encoding of a time. @param {Phasor} phasor @param {boolean} bug @param {number} [time] */
function timeOf({ fourierFeatures }, bug, time = 500) {
  const layout = bug ? "halves" : "flipped";
  const { data } = fourierFeatures.timesteps([time], DIM, { layout, downscaleFreqShift: 0 });
  return Array.from(data, Number);
}

/** @type {Exhibit} */
export const halves = {
  judge(phasor) {
    const { similarity } = phasor;
    const rows = [true, false].map((bug) => ({
      length: Math.hypot(...timeOf(phasor, bug)),
      next: similarity.pair(timeOf(phasor, bug), timeOf(phasor, bug, 501)),
    }));
    const [program, right] = rows;
    const isLong = Math.abs(program.length - right.length) > 1e-5;
    const isNear = Math.abs(program.next - right.next) < 1e-5;
    return choice(
      isLong ? "length" : isNear ? "neither" : "similar",
      `The lengths are ${brief(program.length)} and ${brief(right.length)}, the cosines of times 500 and 501 are ${brief(program.next)} and ${brief(right.next)}: both are equal. Only the network notices, because it was trained with the other order.`,
      {
        length: "Each pair gives sin² + cos² = 1 in either order.",
        similar: "Swapping the same numbers in both vectors does not change their dot product.",
        neither: "Both orders are alike in this.",
      },
    );
  },
  value: (phasor, bug) => brief(phasor.similarity.pair(timeOf(phasor, bug), timeOf(phasor, false))),
  picture: (phasor, bug) =>
    compared(timeOf(phasor, false), timeOf(phasor, bug), {
      title: "The encoding of time 500",
      xTitle: "dimension",
      yTitle: "value",
    }),
};
