// Compares what phasor says of a family with what its model did: tests/truth/atlas/record.py.

import { Tensor } from "phasor";

/**
 * @typedef {object} Facts  of one family, as recorded
 * @property {string} family
 * @property {string} [error]  why there is no tiny model
 * @property {string} [class]
 * @property {string | null} [source]
 * @property {Record<string, unknown>} [config]
 * @property {Record<string, {error?: string, layers: Record<string, string>}>} [runs]
 *
 * @typedef {object} Row  of the atlas
 * @property {string} family
 * @property {string} [class]
 * @property {string | null} [source]
 * @property {string} scheme
 * @property {"agrees" | "differs" | "refused" | "not compared"} rotation  of queries and keys
 * @property {"agrees" | "differs" | "refused" | "not compared"} input  of the first layer
 * @property {"agrees" | "differs" | "not compared"} table  of positions: its number of rows
 * @property {string[]} why
 *
 * @typedef {Record<string, {data: any, shape: readonly number[]}>} Tensors
 * @typedef {{models: any, open: any, phasor: any, safetensors: any}} Phasor
 */

const NEAR = [0, 1, 2, 3, 4, 5, 6];
const FAR = [0, 1, 17, 300, 4095, 5000, 40000];

/** Time, height and width of a text, an image of 2 x 2 and a text. */
const AXES = [
  [0, 1, 2, 2, 2, 2, 5],
  [0, 1, 2, 2, 3, 3, 5],
  [0, 1, 2, 3, 2, 3, 5],
];

/** The largest difference of sums of products, in parts of the largest: float32 angles of far positions are coarse. */
const BOUNDS = { near: 2e-5, far: 1e-2, axes: 2e-5 };

/** The largest difference of an input, in parts of its largest number. */
const INPUT_BOUND = 3e-6;

/**
 * @param {Facts} facts @param {Tensors} tensors @param {Phasor} phasor
 * @returns {Promise<Row>}
 */
export async function compare(facts, tensors, { models, open, phasor, safetensors }) {
  const { family, source } = facts;
  /** @type {Row} */
  const row = {
    ...{ family, class: facts.class, source, scheme: "unknown" },
    ...{ rotation: "not compared", input: "not compared", table: "not compared", why: [] },
  };
  if (!facts.config) {
    row.why.push(facts.error ?? "no configuration was recorded");
    return row;
  }
  let described;
  try {
    described = models.fromConfig(facts.config);
  } catch (error) {
    const message = /** @type {Error} */ (error).message;
    return { ...row, rotation: "refused", input: "refused", why: [message] };
  }
  row.scheme = described.positions.scheme;
  compareRotations(row, described, facts, tensors, phasor);
  compareTables(row, described, tensors);
  await compareInputs(row, facts, tensors, { open, phasor, safetensors });
  for (const [name, { error }] of Object.entries(facts.runs ?? {})) {
    if (error && name === "near" && row.rotation === "not compared") row.why.push(error);
  }
  return row;
}

/** @param {Row} row @param {any} described @param {Facts} facts @param {Tensors} tensors @param {any} phasor */
function compareRotations(row, described, { runs = {} }, tensors, phasor) {
  const { positions, layers } = described;
  const problems = [];
  let compared = 0;
  for (const [name, bound] of Object.entries(BOUNDS)) {
    const run = runs[name];
    if (!run) continue;
    const rotating = Object.keys(run.layers ?? {});
    if (rotating.length > 0 && !positions.rotary) {
      if (["unknown", "other"].includes(positions.scheme)) row.rotation = "refused";
      else problems.push(`it rotates, and is described as ${positions.scheme}`);
      continue;
    }
    if (rotating.length === 0 || !positions.rotary) continue;
    for (let layer = 0; layer < layers; ++layer) {
      const kind = positions.layerKinds?.[layer] ?? Object.keys(positions.rotary)[0];
      const rotary = positions.rotary[kind];
      const does = String(layer) in run.layers;
      if (does !== (rotary !== null)) {
        if (does || !run.error) {
          problems.push(`layer ${layer} (${kind}) ${does ? "rotates" : "does not rotate"}`);
        }
        continue;
      }
      if (!does) continue;
      const [before, after] = ["before", "after"].map((at) => tensors[`${name}.${layer}.${at}`]);
      // Some models count positions themselves.
      const ways = name === "far" ? [FAR, NEAR] : name === "axes" ? [AXES] : [NEAR];
      const differences = ways.map((at) => difference(before, after, rotary, at, phasor));
      ++compared;
      const least = Math.min(...differences);
      if (!(least <= bound)) {
        problems.push(`layer ${layer} (${kind}) differs by ${least.toExponential(1)} at ${name}`);
      }
    }
  }
  if (problems.length > 0) row.rotation = "differs";
  else if (compared > 0) row.rotation = "agrees";
  row.why.push(...problems.slice(0, 3));
}

/** @param {Row} row @param {any} described @param {Tensors} tensors */
function compareTables(row, { positions }, tensors) {
  if (positions.scheme !== "learnedPositions") return;
  const tables = Object.entries(tensors).filter(
    ([name, { shape }]) =>
      /(position_?embedding|embed_positions|pos_embed|wpe|positions_embed)\w*(\.weight)?$/.test(
        name,
      ) && shape.length >= 2,
  );
  if (tables.length === 0) return;
  const sizes = tables.map(([, { shape }]) => shape.slice(0, -1).reduce((a, b) => a * b, 1));
  row.table = sizes.includes(positions.rows) ? "agrees" : "differs";
  if (row.table === "differs") {
    row.why.push(
      `the table of positions has ${sizes.join(", ")} rows, described as ${positions.rows}`,
    );
  }
}

/**
 * The largest difference of the products of rotated rows, which do not depend on the order of columns.
 * @param {Tensors[string]} before @param {Tensors[string]} after @param {any} rotary
 * @param {number[] | number[][]} positions @param {any} phasor
 */
function difference(before, after, rotary, positions, phasor) {
  const [rows, T, D] = before.shape;
  const { dim, layout, inverse = false } = rotary;
  const start = D === dim ? 0 : (rotary.start ?? 0);
  if (dim > D - start) return Infinity;
  const table = Array.isArray(positions[0])
    ? phasor.mrope.table(positions, dim, { base: rotary.options.base, ...rotary.multimodal })
    : phasor.rope.table(positions, dim, rotary.options);
  const width = D - start;
  const part = new Float32Array(rows * T * width);
  for (let i = 0; i < rows * T; ++i) {
    part.set(before.data.subarray(i * D + start, (i + 1) * D), i * width);
  }
  const x = new Tensor(part, [rows, T, width]);
  const turned = phasor.rope.apply(x, table, { layout, inverse, dim });
  const got = before.data.slice();
  for (let i = 0; i < rows * T; ++i) {
    got.set(turned.data.subarray(i * width, (i + 1) * width), i * D + start);
  }
  const [is, should] = [got, after.data].map((data) => products(data, rows, T, D));
  const size = should.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return is.reduce((most, value, i) => Math.max(most, Math.abs(value - should[i])), 0) / size;
}

/** @param {Float32Array} x @param {number} rows @param {number} T @param {number} D */
function products(x, rows, T, D) {
  const sums = new Float64Array(rows * T * T);
  for (let i = 0; i < sums.length; ++i) {
    const a = Math.floor(i / T) * D;
    const b = (Math.floor(i / (T * T)) * T + (i % T)) * D;
    for (let d = 0; d < D; ++d) sums[i] += x[a + d] * x[b + d];
  }
  return sums;
}

/**
 * @param {Row} row @param {Facts} facts @param {Tensors} tensors
 * @param {Pick<Phasor, "open" | "phasor" | "safetensors">} phasor
 */
async function compareInputs(row, { config }, tensors, { open, phasor, safetensors }) {
  if (!tensors["near.input"]) return;
  const prefix = "weights.";
  const weights = Object.fromEntries(
    Object.entries(tensors)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, tensor]) => [name.slice(prefix.length), tensor]),
  );
  const files = {
    "model.safetensors": safetensors.write(weights),
    "config.json": new TextEncoder().encode(JSON.stringify(config)),
  };
  const model = await open(files, { phasor });
  if (tensors["near.perLayer"]) {
    const rows = await model.perLayer(tensors.ids);
    const flat = {
      data: rows.data,
      shape: [...rows.shape.slice(0, 2), rows.shape[2] * rows.shape[3]],
    };
    const want = tensors["near.perLayer"];
    const most = inputDifference(flat, { ...want, shape: flat.shape });
    row.why.push(`rows for each layer differ by ${most.toExponential(1)}`);
    if (!(most <= INPUT_BOUND)) {
      row.input = "differs";
      return;
    }
    row.why.pop();
  }
  const counts = model.config?.positions.preset === "opt";
  for (const name of ["near", "padded"]) {
    if (!tensors[`${name}.input`]) continue;
    // Masks of ESM are counted among the tokens of the attention mask, of which embed knows nothing.
    if (name === "padded" && model.config?.tokens.maskId !== undefined) continue;
    let got;
    try {
      const mask = name === "padded" && counts ? { mask: tensors.mask } : {};
      got = await model.embed(tensors.ids, mask);
    } catch (error) {
      row.input = "refused";
      row.why.push(/** @type {Error} */ (error).message);
      return;
    }
    const padded = name === "padded" ? tensors.mask.data : undefined;
    const most = inputDifference(got, tensors[`${name}.input`], padded);
    if (!(most <= INPUT_BOUND)) {
      row.input = "differs";
      row.why.push(`the input differs by ${most.toExponential(1)} (${name})`);
      return;
    }
  }
  row.input = "agrees";
}

/**
 * @param {{data: Float32Array, shape: readonly number[]}} got  [B, T, D]
 * @param {Tensors[string]} want  the same, [T, B, D], [B, more than T, D], or [B, T, copies, D]
 * @param {ArrayLike<number>} [mask]  1 where tokens are compared
 */
function inputDifference(got, want, mask) {
  const [B, T, D] = got.shape;
  const { shape } = want;
  if (shape[shape.length - 1] !== D) return Infinity;
  let [perBatch, perToken] = [shape.slice(1).reduce((a, b) => a * b, 1), D];
  if (shape.length === 4 && shape[1] === T) perToken = shape[2] * D;
  else if (shape.length === 3 && shape[0] === T && shape[1] === B)
    [perBatch, perToken] = [D, B * D];
  else if (shape.length !== 3 || shape[0] !== B || shape[1] < T) return Infinity;
  let [most, size] = [0, 0];
  for (let i = 0; i < got.data.length; ++i) {
    const [b, t, d] = [Math.floor(i / (T * D)), Math.floor(i / D) % T, i % D];
    if (mask && mask[b * T + t] === 0) continue;
    const value = want.data[b * perBatch + t * perToken + d];
    most = Math.max(most, Math.abs(got.data[i] - value));
    size = Math.max(size, Math.abs(value));
  }
  return most / size;
}
