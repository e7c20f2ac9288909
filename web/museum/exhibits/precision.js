// Bugs of number formats.

/** @import { Phasor } from "phasor" */
/** @import { Exhibit } from "./exhibits.js" */
import { brief, count } from "../../app/numbers.js";
import { heatmap } from "../../app/pictures.js";
import { drawn } from "../../app/samples.js";
import { apart, choice, compared, either } from "./compared.js";

/** Numbers as bfloat16 holds them. @param {Phasor} phasor @param {readonly number[]} numbers */
function bfloat16({ dtypes }, numbers) {
  return Array.from(dtypes.decode(dtypes.encode(numbers, "bfloat16")).data, Number);
}

/** Positions past the first that bfloat16 cannot hold. */
const PAST = Array.from({ length: 33 }, (_, i) => 248 + i);

/** Where the numbers of bfloat16 are 2 and 4 apart, and how many positions from there on are looked at. */
const APART = [256, 512];
const LOOKED = 64;

/** Neighbors that bfloat16 makes equal, from a position on, without the first and the last group. @param {Phasor} phasor @param {number} from */
function groupsFrom(phasor, from) {
  const positions = Array.from({ length: LOOKED }, (_, i) => from + i);
  const held = bfloat16(phasor, positions);
  const inner = [...new Set(held)].slice(1, -1);
  return inner.map((as) => ({ as, of: positions.filter((_, i) => held[i] === as) }));
}

/** The sizes of these groups. @param {Phasor} phasor @param {number} from */
function sizesFrom(phasor, from) {
  return [...new Set(groupsFrom(phasor, from).map(({ of }) => of.length))].join(" and ");
}

/** The cosines of the fastest pair. @param {Phasor} phasor @param {boolean} bug */
function fastest(phasor, bug) {
  const { cos } = phasor.rope.table(bug ? bfloat16(phasor, PAST) : PAST, 2);
  return Array.from(cos.data, Number);
}

/** @type {Exhibit} */
export const rounded = {
  judge(phasor) {
    const [held] = bfloat16(phasor, [257]);
    return choice(
      String(held),
      `bfloat16 has 8 binary digits: above 256 it can represent every second integer, and 257 becomes ${count(held)}.`,
      {
        257: "bfloat16 can represent every integer up to 256, but not 257.",
        256: "bfloat16 can represent 256 and 258, but not 257.",
        260: "Numbers are 4 apart only above 512.",
      },
    );
  },
  value: (phasor, bug) => brief(apart(fastest(phasor, bug), fastest(phasor, false))),
  picture: (phasor, bug) =>
    compared(fastest(phasor, false), fastest(phasor, bug), {
      title: "Cosine of the fastest pair",
      x: PAST,
      xTitle: "position (tokens)",
      yTitle: "cosine",
      points: true,
    }),
  facts: {
    "rounded-pairs": (phasor) => sizesFrom(phasor, APART[0]),
    "rounded-fours": (phasor) => sizesFrom(phasor, APART[1]),
    "rounded-group"(phasor) {
      const { as, of } = groupsFrom(phasor, APART[0])[1];
      return `${of.slice(0, -1).join(", ")} and ${of.at(-1)} all become ${as}`;
    },
  },
};

/** The report of the thread: 2,048 positions, 32 dimensions. */
const LENGTH = 2048;
const STEP = 8;
const DRAWN = Array.from({ length: LENGTH / STEP }, (_, i) => i * STEP);

/** The largest error of each of some positions. @param {Phasor} phasor @param {boolean} bug */
function errors(phasor, bug) {
  const report = errorReport(phasor, bug);
  return DRAWN.map((t) => Math.max(...Array.from(report.error.row(t).data, Number)));
}

const errorReport = either(({ rounding }, bug) => {
  const pipeline = bug ? "float16" : "float32";
  return rounding.report(LENGTH, 32, { pipelines: [pipeline] })[pipeline];
});

/** @type {Exhibit} */
export const frequencies = {
  judge(phasor) {
    const { max, position, pair } = errorReport(phasor, true);
    return choice(
      max < 0.005 ? "tiny" : max < 0.2 ? "small" : "large",
      `At position ${count(position)} pair ${count(pair)} is wrong by ${brief(max)}. A small relative error of an angle of hundreds of radians is a large part of a rotation.`,
      {
        tiny: "The relative error of the angle is not that of its cosine, because the angle contains many whole rotations.",
        small: "That is the error at much smaller positions.",
        large: "The error of the angle grows with the position.",
      },
    );
  },
  value: (phasor, bug) => brief(errorReport(phasor, bug).max),
  picture: (phasor, bug) =>
    compared(errors(phasor, false), errors(phasor, bug), {
      title: "Largest error of sine or cosine, over all pairs",
      x: DRAWN,
      xTitle: "position (tokens)",
      yTitle: "error",
      yDomain: [0, 1],
    }),
};

/** Where image positions begin, and the side of the grid. */
const OFFSET = 65536;
const SIDE = 16;

/** The positions of rows and columns. @param {Phasor} phasor @param {boolean} bug */
function grid(phasor, bug) {
  const positions = Array.from({ length: SIDE }, (_, i) => OFFSET + i);
  return bug ? bfloat16(phasor, positions) : positions;
}

/** The cosine of each patch’s rotation with that of the first. @param {Phasor} phasor @param {boolean} bug */
function patches(phasor, bug) {
  const dim = 64;
  const row = Array.from({ length: dim }, () => dim ** -0.5);
  const positions = grid(phasor, bug);
  const rotated = phasor.rope.apply(
    positions.map(() => row),
    phasor.rope.table(positions, dim),
  );
  const first = Array.from(rotated.row(0).data, Number);
  const { data } = phasor.attention.scores([first], rotated, { scale: 1 });
  return Float32Array.from({ length: SIDE * SIDE }, (_, i) => {
    return (Number(data[Math.floor(i / SIDE)]) + Number(data[i % SIDE])) / 2;
  });
}

/** @type {Exhibit} */
export const collapse = {
  judge(phasor) {
    const left = new Set(grid(phasor, true)).size;
    return choice(
      left === SIDE ? "all" : left > 1 ? "half" : "one",
      `${count(left)}: near ${count(OFFSET)} the numbers of bfloat16 are 512 apart, so even ${count(OFFSET + SIDE - 1)} becomes ${count(grid(phasor, true)[SIDE - 1])}.`,
      {
        all: "bfloat16 has 8 binary digits, and 65,551 needs 17.",
        half: "They would be 2 apart only below 512.",
        one: "The numbers of bfloat16 are far apart there.",
      },
    );
  },
  value: (phasor, bug) => count(new Set(grid(phasor, bug)).size ** 2),
  picture: (phasor, bug) =>
    heatmap(
      { data: patches(phasor, bug), shape: [SIDE, SIDE] },
      {
        title: "Cosine of each patch’s rotation with that of the first patch",
        rowTitle: "row",
        columnTitle: "column",
        colors: "sequential",
        domain: [0, 1],
      },
    ),
};

/** Gemma’s width, and the numbers of a vector that are shown. */
const WIDTH = 3072;
const SHOWN = 4;

/** A token’s vector times √D as a program computes it. @param {Phasor} phasor @param {boolean} bug */
function scaled(phasor, bug) {
  const table = phasor.embedding.from(drawn(phasor, 1, WIDTH, { std: WIDTH ** -0.5 }));
  const { data } = table.lookup([0], {
    scale: "sqrt",
    scaleDtype: bug ? "float32" : "bfloat16",
  });
  table.dispose();
  return Array.from(data.subarray(0, SHOWN), Number);
}

/** @type {Exhibit} */
export const root = {
  judge(phasor) {
    const [held] = bfloat16(phasor, [Math.sqrt(WIDTH)]);
    return {
      answer: held,
      within: 0.001,
      because: `√3,072 = ${Math.sqrt(WIDTH).toFixed(4)}; between 32 and 64 the numbers of bfloat16 are 1/4 apart, and the nearest is ${brief(held)}.`,
      near: [
        {
          value: Math.sqrt(WIDTH),
          within: 0.01,
          because: "That has more digits than bfloat16 can hold: it has 8 binary ones.",
        },
      ],
    };
  },
  value(phasor, bug) {
    const right = bfloat16(phasor, [Math.sqrt(WIDTH)])[0];
    const used = bug ? Math.sqrt(WIDTH) : right;
    return `${brief((100 * Math.abs(used - right)) / right)} %`;
  },
  strip: (phasor, bug) => ({
    head: Array.from({ length: SHOWN }, (_, i) => `number ${i}`),
    rows: [
      { name: "as trained", numbers: scaled(phasor, false).map(brief5) },
      {
        name: "the program",
        numbers: scaled(phasor, bug).map(brief5),
        right: scaled(phasor, false).map(brief5),
      },
    ],
  }),
};

/** Five digits, which show the difference. @param {number} x */
function brief5(x) {
  return x.toPrecision(5).replace("-", "−");
}
