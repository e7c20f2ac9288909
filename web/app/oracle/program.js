// The program that computes what was identified.

/** @import { Phasor } from "phasor" */
/** @import { Answer, Places, Rotation } from "phasor/oracle" */

/** Forms of frequencies as JavaScript: exponents of the base. @type {Readonly<Record<string, string>>} */
const EXPONENTS = Object.freeze({
  "base^(-2i/D)": "-2 * i / D",
  "base^(-2i/(D-2))": "-2 * i / (D - 2)",
  "base^(-2(i+1)/D)": "-2 * (i + 1) / D",
  "base^(-2(P-1-i)/D)": "-2 * (P - 1 - i) / D",
});

/** What a unit makes of frequencies. @type {Readonly<Record<string, string>>} */
const UNITS = Object.freeze({
  degrees: " * Math.PI / 180",
  turns: " * 2 * Math.PI",
  twice: " * 2",
});

/** Bits of the significands of narrow formats. @type {Readonly<Record<string, number>>} */
const BITS = Object.freeze({ bfloat16: 8, float16: 11 });

/** The most numbers that a program lists. */
const MOST_LISTED = 256;

/** A value as a program has it, in lines. @param {unknown} value */
const written = (value) =>
  JSON.stringify(value, null, 2)
    .replace(/\[[^[\]]*\]/g, (list) => list.replace(/\s+/g, " "))
    .replace(/"(\w+)":/g, "$1:");

/**
 * A program that computes the table, or the rotation.
 * @param {Pick<Phasor, "rope">} phasor @param {Answer | {kind: string}} answer
 * @param {Readonly<Record<string, {shape: readonly number[]}>>} arrays  that were identified
 * @returns {string | undefined} undefined if there is no such call
 */
export function programOf(phasor, answer, arrays) {
  if (answer.kind !== "rope") return undefined;
  const found = /** @type {Rotation} */ (answer);
  const {
    layout,
    output,
    table,
    isMinusLost,
    isOverwritten,
    start,
    positions,
    rounding,
    precision,
  } = found;
  if (table || isMinusLost || isOverwritten || start > 0) return undefined;
  if (rounding && (rounding.of !== "frequencies" || isBelow(found))) return undefined;
  const [{ shape }] = Object.values(arrays);
  const places = positionsOf(found, shape[shape.length - (found.headsAfter ? 3 : 2)]);
  if (places === undefined) return undefined;
  const { lines, options } = spectrumOf(phasor, found);
  const rounds = positions.format ?? rounding?.format;
  const used = found.swapped ? "{ cos: table.sin, sin: table.cos }" : "table";
  const whole = layout === null ? used : `rope.toFullWidth(${used}, { layout: "${layout}" })`;
  const all = [
    'import { load } from "phasor";',
    "",
    "const { rope } = await load();",
    ...(rounds ? [roundingOf(rounds)] : []),
    ...lines,
    ...places.lines,
    `const table = rope.table(${places.argument}, ${found.dim}, ${options});`,
    ...factorOf(phasor, found),
    "q" in arrays
      ? appliedOf(found, used, output, shape[shape.length - 1])
      : `const { cos, sin } = ${whole};`,
    ...(precision === "float32" ? [] : [`// Then each number is rounded to ${precision}.`]),
  ];
  return `${all.join("\n")}\n`;
}

/** @param {Rotation} found @param {string} table @param {string | undefined} output @param {number} width  of a head */
function appliedOf({ layout, headsAfter, dim }, table, output, width) {
  const part = dim < width ? [`dim: ${dim}`] : [];
  const all = [`layout: "${layout}"`, ...(headsAfter ? ["axis: -3"] : []), ...part];
  const options = all.join(", ");
  const rotated = `rope.apply(q, ${table}, { ${options} })`;
  return output
    ? `const rotated = rope.convert(${rotated}, { from: "${layout}", to: "${output}" });`
    : `const rotated = ${rotated};`;
}

/** Whether a frequency is one of those of float16 that have fewer digits. @param {Rotation} found */
const isBelow = ({ rounding, frequencies }) =>
  rounding?.format === "float16" && frequencies.fitted.some((x) => x < 2 ** -14);

/** @param {string} format */
const roundingOf = (format) => `
/** Rounds to ${format}: a significand of ${BITS[format]} bits. */
function rounded(x) {
  const multiple = (2 ** ${53 - BITS[format]} + 1) * x;
  return multiple - (multiple - x);
}
`;

/**
 * The positions as an argument of rope.table. An angle with a minus is that of a negative position.
 * @param {Rotation} found @param {number} T
 * @returns {{argument: string, lines: string[]} | undefined}
 */
function positionsOf({ positions, sign, batches }, T) {
  if (batches) return undefined;
  const { rule, list = [] } = positions;
  if (rule === "consecutive" && sign === 1) return { argument: String(T), lines: [] };
  if (rule === "listed") {
    if (T > MOST_LISTED) return undefined;
    return { argument: JSON.stringify(list.map((p) => sign * p)), lines: [] };
  }
  const of = ruleOf(positions);
  const place = sign === 1 ? of : `-(${of})`;
  const line = `const positions = Array.from({ length: ${T} }, (_, t) => ${place});`;
  return { argument: "positions", lines: [line] };
}

/** The position of row t. @param {Places} places */
function ruleOf({ rule, offset, period, last, padding, fill, starts = [], parts = [], rows }) {
  const from = (/** @type {string} */ t) => (offset === 0 ? t : `${offset} + ${t}`);
  const rules = {
    consecutive: from("t"),
    rounded: `rounded(${from("t")})`,
    wrapped: from(`(t % ${period})`),
    clipped: `Math.min(${from("t")}, ${last})`,
    padded: `t < ${padding} ? ${fill} : ${from(`t - ${padding}`)}`,
    packed: from(`t - ${written([0, ...starts])}.findLast((start) => start <= t)`),
    parts: parts
      .map(([row, at, step], i) => {
        const own = `${at} + ${step} * (t - ${row})`;
        return i + 1 < parts.length ? `t < ${parts[i + 1][0]} ? ${own}` : own;
      })
      .join(" : "),
    repeated: from(`Math.floor(t / ${rows})`),
    listed: "",
  };
  return rules[rule];
}

/**
 * The options of rope.table, and the lines before it.
 * @param {Pick<Phasor, "rope">} phasor @param {Rotation} found
 */
function spectrumOf({ rope }, found) {
  const { form, base, scaling, unit, width, dim, rounding, positions, sign, frequencies } = found;
  const offset =
    positions.rule === "consecutive" && sign === 1 && positions.offset !== 0
      ? { offset: positions.offset }
      : undefined;
  const own = scaling ? { base, scaling } : { base };
  if (form === "base^(-2i/D)" && !unit && !width && !rounding && isKnown(rope, found)) {
    const length = scaling?.type === "longrope" && { length: lengthOf(rope, found) };
    return { lines: [], options: written({ ...own, ...length, ...offset }) };
  }
  const options = `{ ${["frequencies", ...(offset ? [`offset: ${offset.offset}`] : [])].join(", ")} }`;
  const P = dim / 2;
  const near = rounding ? "rounded(" : "";
  const { fitted } = frequencies;
  const step = (fitted[P - 1] - fitted[0]) / (P - 1);
  const each =
    base === null
      ? `${fitted[0]} + ${step} * i`
      : `${base} ** (${EXPONENTS[form].replace("P - 1", String(P - 1)).replace(/\(?D( - 2)?\)?/, (_, less) => String((width ?? dim) - (less ? 2 : 0)))})${unit ? UNITS[unit] : ""}`;
  const line = `const frequencies = Array.from({ length: ${P} }, (_, i) => ${near}${each}${near && ")"});`;
  return { lines: [scaling ? listOf(fitted) : line], options };
}

/** @param {readonly number[]} frequencies */
const listOf = (frequencies) => `const frequencies = ${JSON.stringify(frequencies)};`;

/** The length at which the frequencies of longrope are those found. @param {Phasor["rope"]} rope @param {Rotation} found */
function lengthOf(rope, { dim, base, scaling, frequencies: { fitted } }) {
  const { originalLength } = /** @type {{originalLength: number}} */ (/** @type {unknown} */ (scaling)); // prettier-ignore
  const lengths = [1, originalLength + 1];
  const is = (/** @type {number} */ length) => {
    const options = /** @type {any} */ ({ base, scaling, length });
    const { frequencies } = rope.frequencies(dim, options);
    return fitted.every((x, i) => Math.abs(frequencies.data[i] - x) <= 1e-6 * x);
  };
  return lengths.find(is) ?? lengths[0];
}

/** Whether rope computes these frequencies by their name. @param {Phasor["rope"]} rope @param {Rotation} found */
function isKnown(rope, { dim, base, scaling }) {
  try {
    rope.frequencies(dim, /** @type {any} */ ({ base, ...(scaling && { scaling }), length: 1 }));
    return true;
  } catch {
    return false;
  }
}

/** What is left of the factor where the scaling's own is another. @param {Pick<Phasor, "rope">} phasor @param {Rotation} found */
function factorOf({ rope }, found) {
  const { dim, base, scaling, attentionFactor } = found;
  const options = /** @type {any} */ ({ base, scaling, length: 1 });
  const own = scaling && isKnown(rope, found) ? rope.frequencies(dim, options).attentionFactor : 1;
  const ratio = attentionFactor / own;
  if (Math.abs(ratio - 1) < 2e-7) return [];
  const by = own === 1 ? String(attentionFactor) : `${attentionFactor} / ${own}`;
  return [
    `const factor = ${by};`,
    "for (const { data } of [table.cos, table.sin]) data.set(data.map((x) => x * factor));",
  ];
}
