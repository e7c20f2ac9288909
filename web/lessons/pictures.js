/**
 * A small picture of each lesson, for the list of lessons: what the lesson is about, drawn by its formula where it
 * has one. Colors are classes of web/app/style.css, with the meanings that they have in the lessons.
 */

const WIDTH = 288;
const HEIGHT = 96;

/** @typedef {"token" | "position" | "mix" | "right" | "unseen" | "quiet" | "line"} Color */

/** @param {number} x at most two decimals */
const short = (x) => String(Math.round(x * 100) / 100);

/** @param {number} count @template T @param {(i: number) => T} make @returns {T[]} */
const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));

/** @param {Color} color @param {number} x @param {number} y @param {number} width @param {number} height @param {number} [opacity] @param {number} [round] */
function box(color, x, y, width, height, opacity = 1, round = 0) {
  const more = `${opacity < 1 ? ` opacity="${short(opacity)}"` : ""}${round ? ` rx="${round}"` : ""}`;
  return `<rect class="${color}" x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"${more}/>`;
}

/** @param {Color} color @param {readonly (readonly [x: number, y: number])[]} points @param {number} [width] */
function line(color, points, width = 2) {
  const path = points.map(([x, y], i) => `${i ? "L" : "M"}${short(x)} ${short(y)}`).join("");
  return `<path class="${color} stroke" d="${path}" stroke-width="${width}"/>`;
}

/** Part of a circle. @param {Color} color @param {number} x @param {number} y @param {number} radius @param {number} from in radians, clockwise from the right @param {number} to @param {number} [width] */
function arc(color, x, y, radius, from, to, width = 2) {
  const steps = Math.max(1, Math.ceil(Math.abs(to - from) * 12));
  const at = (/** @type {number} */ i) => from + ((to - from) * i) / steps;
  return line(
    color,
    times(steps + 1, (i) => [x + radius * Math.cos(at(i)), y + radius * Math.sin(at(i))]),
    width,
  );
}

/** @param {Color} color @param {number} x @param {number} y @param {number} [radius] */
const dot = (color, x, y, radius = 3) =>
  `<circle class="${color}" cx="${short(x)}" cy="${short(y)}" r="${radius}"/>`;

/** @param {Color} color @param {string} text @param {number} x  of its middle @param {number} y @param {number} [size] */
const words = (color, text, x, y, size = 15) =>
  `<text class="${color}" x="${short(x)}" y="${short(y)}" font-size="${size}">${text}</text>`;

/** A word in a rounded frame. @param {Color} color @param {string} text @param {number} x @param {number} y @param {number} width */
const chip = (color, text, x, y, width) =>
  `<rect class="${color} frame" x="${x}" y="${y}" width="${width}" height="28" rx="14"/>` +
  words(color, text, x + width / 2, y + 19, 14);

/** The numbers of a vector as bars on their zero line. @param {Color} color @param {readonly number[]} values @param {number} x @param {number} y  of the zero line @param {number} width @param {number} height of 1 */
function strip(color, values, x, y, width, height) {
  const step = width / values.length;
  const bars = values.map(
    (v, i) => `M${short(x + (i + 0.5) * step)} ${short(y)}v${short(-v * height)}`,
  );
  return `<path class="${color} bars" d="${bars.join("")}" stroke-width="${short(0.7 * step)}"/>`;
}

/** Numbers in [-1, 1] that look random and never change. @param {number} seed @param {number} count */
const scattered = (seed, count) =>
  times(count, (i) => {
    const x = Math.sin((seed * 97 + i + 1) * 12.9898) * 43758.5453;
    return 2 * (x - Math.floor(x)) - 1;
  });

/** A hand of a dial. @param {Color} color @param {number} x @param {number} y @param {number} length @param {number} angle @param {number} [width] */
const hand = (color, x, y, length, angle, width = 3) =>
  line(color, [[x, y], [x + length * Math.cos(angle), y + length * Math.sin(angle)]], width); // prettier-ignore

/** The sinusoids of a position, a sine and a cosine for each frequency. @param {number} position @param {number} pairs */
const sinusoids = (position, pairs) =>
  times(2 * pairs, (i) => {
    const angle = position * 100 ** (-Math.floor(i / 2) / pairs);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  });

/** @type {Record<string, () => string>} */
const drawings = {
  pieces: () =>
    chip("quiet", "embeddings", 89, 8, 110) +
    ["em", "##bed", "##ding", "##s"]
      .map((piece, i) => {
        const [x, width] = [[13, 50], [71, 74], [153, 74], [235, 40]][i]; // prettier-ignore
        const middle = x + width / 2;
        return line("line", [[144 + (middle - 144) / 3, 40], [middle, 56]]) + chip("token", piece, x, 60, width); // prettier-ignore
      })
      .join(""),

  lookup: () =>
    times(6, (row) =>
      strip(row === 3 ? "token" : "line", scattered(row + 3, 16), 96, 12 + row * 14.5, 92, 6.5),
    ).join("") +
    words("token", "dog", 52, 60) +
    line("token", [
      [72, 55.5],
      [88, 55.5],
    ]) + // prettier-ignore
    line("token", [
      [196, 55.5],
      [212, 55.5],
    ]) + // prettier-ignore
    strip("token", scattered(6, 16), 222, 55.5, 56, 16),

  "trained-table": () => {
    const at = /** @type {[number, number][]} */ ([[84, 74], [196, 62], [100, 30], [212, 18]]); // prettier-ignore
    const [xs, ys] = [scattered(5, 90), scattered(8, 90)];
    return (
      xs.map((x, i) => dot("line", 144 + x * 130, 48 + ys[i] * 42, 1.6)).join("") +
      line("mix", [at[0], at[1]]) +
      line("mix", [at[2], at[3]]) +
      at.map(([x, y]) => dot("token", x, y, 4)).join("")
    );
  },

  training: () => {
    const ends = scattered(4, 24);
    return times(12, (i) => {
      const group = i % 3;
      const [x, y] = [32 + ((i * 67) % 230), 10 + ((i * 41) % 76)];
      const [a, b] = [60 + group * 84 + 16 * ends[i], 48 + 22 * ends[i + 12]];
      const color = /** @type {const} */ (["token", "mix", "position"])[group];
      return line("line", [[x, y], [a, b]], 1.5) + dot("line", x, y, 2) + dot(color, a, b, 4); // prettier-ignore
    }).join("");
  },

  attention: () => {
    const scores = scattered(11, 9).map((x) => Math.exp(2.2 * x));
    const names = ["dog", "bites", "man"];
    return times(3, (row) => {
      const sum = scores.slice(3 * row, 3 * row + 3).reduce((a, b) => a + b);
      return (
        words("token", names[row], 82, 25 + 27 * row, 14) +
        times(3, (column) => {
          const weight = scores[3 * row + column] / sum;
          return box("mix", 118 + 42 * column, 8 + 27 * row, 39, 24, 0.12 + 0.88 * weight, 3);
        }).join("")
      );
    }).join("");
  },

  order: () =>
    ["dog", "bites", "man"].map((word, i) => chip("token", word, 22 + 86 * i, 6, 72)).join("") +
    ["man", "bites", "dog"].map((word, i) => chip("token", word, 22 + 86 * i, 62, 72)).join("") +
    line("position", [[58, 37], [230, 59]]) + // prettier-ignore
    line("position", [[144, 37], [144, 59]]) + // prettier-ignore
    line("position", [[230, 37], [58, 59]]), // prettier-ignore

  counting: () =>
    times(16, (position) =>
      times(4, (bit) =>
        box(
          (position >> (3 - bit)) & 1 ? "position" : "line",
          18 + 16 * position,
          10 + 20 * bit,
          13,
          16,
          (position >> (3 - bit)) & 1 ? 1 : 0.5,
          2,
        ),
      ).join(""),
    ).join(""),

  sinusoidal: () =>
    times(4, (wave) => {
      const y = (/** @type {number} */ x) => Math.sin(((x - 8) / 13) * 2.4 ** -wave);
      const points = times(137, (i) => /** @type {const} */ ([8 + 2 * i, 14 + 23 * wave - 9 * y(8 + 2 * i)])); // prettier-ignore
      return line("position", points, 2);
    }).join(""),

  learned: () =>
    times(
      8,
      (row) =>
      strip(row < 6 ? "position" : "line", row < 6 ? scattered(row + 20, 34) : times(34, () => 0.12), 56, 10 + row * 11, 214, 5), // prettier-ignore
    ).join("") +
    words("quiet", "0", 34, 15, 12) +
    words("quiet", "511", 34, 70, 12) +
    words("unseen", "512", 34, 86, 12),

  rope: () =>
    [0, 1, 2]
      .map((position) => {
        const [x, y] = [56 + 88 * position, 48];
        const angle = -0.4 - 0.7 * position;
        return (
          arc("line", x, y, 38, 0, 2 * Math.PI) +
          arc("position", x, y, 24, -0.4, angle, 3) +
          hand("line", x, y, 36, -0.4, 2) +
          hand("token", x, y, 36, angle)
        );
      })
      .join(""),

  alibi: () =>
    times(8, (row) =>
      times(row + 1, (column) =>
        box("position", 96 + 12 * column, 2 + 11.5 * row, 11, 10.5, 1 - (row - column) / 8.5, 1.5),
      ).join(""),
    ).join(""),

  "t5-bias": () => {
    const bucket = (/** @type {number} */ d) =>
      d < 8 ? d : Math.min(15, 8 + Math.floor((Math.log(d / 8) / Math.log(128 / 8)) * 8));
    const points = times(131, (d) => /** @type {const} */ ([14 + 2 * d, 88 - 5.2 * bucket(d)]));
    const stairs = points.flatMap(([x, y], i) => /** @type {const} */ ([[x, i ? points[i - 1][1] : y], [x, y]])); // prettier-ignore
    return line("position", stairs, 2.5);
  },

  "which-one": () =>
    times(5, (row) =>
      times(6, (column) => {
        const filled = scattered(row + 31, 6)[column] > -0.1;
        const color = row === 2 ? "token" : "line";
        return `<circle class="${color}${filled ? "" : " frame"}" cx="${48 + 38 * column}" cy="${12 + 18 * row}" r="5.5"/>`;
      }).join(""),
    ).join(""),

  "whole-input": () => {
    const [token, position] = [scattered(2, 34), sinusoids(7, 17)];
    return (
      strip("token", token, 16, 18, 258, 13) +
      strip("position", position, 16, 48, 258, 13) +
      strip("mix", token.map((t, i) => (t + position[i]) / 2), 16, 78, 258, 15) // prettier-ignore
    );
  },

  "gpt2-input": () =>
    `<path class="quiet stroke" d="M30 10h38l18 18v58H30zM68 10v18h18" stroke-width="2"/>` +
    words("token", "wte", 58, 50, 13) +
    words("position", "wpe", 58, 70, 13) +
    line("quiet", [
      [98, 48],
      [116, 48],
    ]) + // prettier-ignore
    times(
      4,
      (row) =>
      strip("token", scattered(row + 40, 11), 130, 15 + 22 * row, 62, 8) +
      strip("position", sinusoids(row + 1, 6).slice(1), 206, 15 + 22 * row, 62, 8), // prettier-ignore
    ).join(""),

  "longer-context": () =>
    arc("line", 144, 92, 82, Math.PI, 2 * Math.PI, 2) +
    arc("right", 144, 92, 70, Math.PI, 1.45 * Math.PI, 12) +
    arc("unseen", 144, 92, 70, 1.45 * Math.PI, 1.9 * Math.PI, 12) +
    hand("quiet", 144, 92, 56, 1.62 * Math.PI),

  "train-short": () =>
    line("quiet", [[80, 8], [80, 88]], 1) + // prettier-ignore
    line("unseen", [[10, 16], [80, 16], [84, 78], [278, 80]], 2.5) + // prettier-ignore
    line("position", times(27, (i) => [10 + 10 * i, i < 7 ? 20 : 70 - 50 * Math.exp((7 - i) / 7)]), 2.5) + // prettier-ignore
    line("right", [[10, 24], [278, 24]], 2.5), // prettier-ignore

  numbers: () =>
    line("quiet", [[10, 64], [278, 64]]) + // prettier-ignore
    times(5, (octave) =>
      times(4, (i) => {
        const x = 10 + 268 * (2 ** octave / 32) * (1 + i / 4);
        return line(i ? "position" : "token", [[x, i ? 48 : 34], [x, 64]], i ? 1.5 : 2.5); // prettier-ignore
      }).join(""),
    ).join("") +
    times(5, (octave) => words("quiet", String(2 ** octave), 10 + 268 * (2 ** octave / 32), 84, 12)).join(""), // prettier-ignore
};

/** The picture of a lesson, as SVG. It says nothing that the card does not. @param {string} name  the lesson's folder */
export function pictureOf(name) {
  const draw = Object.hasOwn(drawings, name) ? drawings[name] : undefined;
  if (!draw) throw new Error(`lesson ${name} must have a picture in web/lessons/pictures.js`);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${draw()}</svg>`;
}
