// Compares relative biases and sinusoids with those that transformers computes: tests/truth/atlas/biases.py.

/** @import { Tensors } from "./compare.js" */

/**
 * The largest difference, in parts of the largest number. Rows of a learned table are copied; ALiBi's product is rounded
 * once more or less; transformers' angles of sinusoids, up to 40, are float32.
 */
const BOUNDS = {
  t5Bias: 0,
  windowBias: 0,
  none: 0,
  deberta: 0,
  alibi: 2e-7,
  sinusoidal: 4e-6,
  sincosGrid: 4e-6,
  learnedPositions: 1e-6,
  network: 2e-6, // sums of 512 products in float32
  transformerXL: 4e-6,
  boxes: 2e-6,
};

/** Families of which the tests have a record, with every form of them: each way of `biases.py`. */
export const SAMPLE =
  `t5 pix2struct_text_model mpnet bloom mpt swin donut-swin deberta-v2 whisper qwen2_5_omni_audio_encoder
   videoprism_text_model musicgen_decoder vit_mae voxtral_encoder internvl_vision yolos videomae siglip2_vision_model
   sam_vision_model detr table-transformer deformable_detr dab-detr mask2former beit data2vec-vision swinv2 swin2sr xlnet funnel layoutlm layoutlmv2
   layoutlmv3`.split(/\s+/);

/**
 * @param {Record<string, {config: Record<string, any>}>} facts @param {Tensors} tensors
 * @returns {{facts: Record<string, {config: Record<string, any>}>, tensors: Tensors}} the record
 */
export function sampledBiases(facts, tensors) {
  const isKept = (/** @type {string} */ name) => SAMPLE.includes(name.split(" ")[0]);
  const stated = (/** @type {[string, any]} */ [key, value]) =>
    value !== null && !/2(?:id|label)$|^detectron2/.test(key);
  const kept = Object.entries(facts)
    .filter(([name]) => isKept(name))
    .map(([name, { config }]) => [
      name,
      { config: Object.fromEntries(Object.entries(config).filter(stated)) },
    ]);
  const named = Object.entries(tensors).filter(([name]) => isKept(name.split("/")[0]));
  return { facts: Object.fromEntries(kept), tensors: Object.fromEntries(named) };
}

/**
 * @param {Record<string, any>} config
 * @param {Tensors} tensors  bias, weight where the family learns one, and causal where decoders have another; or what
 *   the bias is computed from
 * @param {{models: any, phasor: any}} phasor
 * @returns {{result: "agrees" | "differs" | "refused", why: string[]}}
 */
export function compareBias(config, tensors, { models, phasor }) {
  const { bias, weight, causal, ...more } = tensors;
  const { positions, tokens } = models.fromConfig(config);
  if (positions.reasons) return { result: "refused", why: positions.reasons };
  const name = ["boxes", "stages", "strides"].find((key) => key in positions) ?? positions.scheme;
  if (Object.hasOwn(PIECES, name)) {
    const pieces = PIECES[name](phasor, { positions, tokens, tensors });
    return resultOf(pieces.flatMap(([kind, got, want]) => difference(kind, got.data, want)));
  }
  const given = [bias, causal].filter((one) => one !== undefined);
  if (given.length === 0) {
    return { result: "differs", why: [`it is described as ${positions.scheme}`] };
  }
  const scheme = positions.relative ?? positions.scheme;
  const why = given.flatMap((want) => {
    const { shape } = want;
    const from = { config, positions, weight, shape, causal: want === causal, ...more };
    return difference(scheme, BIASES[scheme](phasor, from).data, want);
  });
  if (more.scores) {
    const { queries, scores, heights, widths } = more;
    const window = [config.window_size, config.window_size];
    const got = phasor.windowBias.decomposed(queries, window, { heights, widths }).data;
    why.push(...difference("learnedPositions", got, scores));
  }
  return resultOf(why);
}

/** @param {string[]} why @returns {{result: "agrees" | "differs", why: string[]}} */
const resultOf = (why) => ({ result: why.length === 0 ? "agrees" : "differs", why });

/** @param {string} scheme @param {Float32Array | Int32Array} got @param {Tensors[string]} bias */
function difference(scheme, got, bias) {
  const size = bias.data.reduce(
    (/** @type {number} */ most, /** @type {number} */ x) => Math.max(most, Math.abs(x)),
    0,
  );
  const most = Float64Array.from(got).reduce(
    (most, x, i) => Math.max(most, Math.abs(x - bias.data[i])),
    got.length === bias.data.length ? 0 : Infinity,
  );
  const bound = BOUNDS[/** @type {keyof typeof BOUNDS} */ (scheme)] * size;
  return most <= bound ? [] : [`the ${scheme} differs by ${most}`];
}

/**
 * @typedef {{config: Record<string, any>, positions: any, weight: any, shape: readonly number[], causal: boolean, size?: any,
 *   mask?: any}} From
 * @type {Record<string, (phasor: any, from: From) => {data: Float32Array | Int32Array}>}
 */
const BIASES = {
  t5Bias: ({ t5Bias }, { positions, weight, shape: [, T], causal }) =>
    t5Bias.bias(weight, T, {
      direction: causal ? "causal" : "bidirectional",
      ...(positions.options && { maxDistance: positions.options.maxDistance }),
    }),
  // One row for all queries, which differs from each by a number that a softmax takes away.
  alibi({ alibi }, { config, positions, shape: [H, , T] }) {
    const slopes = alibi.slopes(H, positions.options).data;
    const first = config.model_type === "mpt" ? 1 - T : 0; // BLOOM's count from the first key
    const data = new Float32Array(H * T);
    for (let h = 0; h < H; ++h) {
      for (let t = 0; t < T; ++t) data[h * T + t] = slopes[h] * (first + t);
    }
    return { data };
  },
  windowBias({ windowBias }, { positions: { options }, weight }) {
    const { window, classToken = false } = options;
    return windowBias.bias(weight, window, { classToken });
  },
  none: (_, { shape }) => ({
    data: new Float32Array(shape.reduce((product, size) => product * size)),
  }),
  deberta: ({ deberta }, { config, shape: [T] }) =>
    deberta.index(T, {
      buckets: config.position_buckets,
      maxDistance: config.max_relative_positions,
      beyond: "grow",
      precision: "torch",
    }),
  // Rows of detection tokens stand behind those of patches, and stay.
  learnedPositions({ learnedPositions }, { config, positions, weight, size, shape: [T, D] }) {
    const { preset, rows, options } = positions;
    if (weight.shape[0] !== rows) throw new RangeError(`a table of ${rows} rows is described`);
    if (!size) return learnedPositions.lookup(weight, T);
    const end = (rows - (config.num_detection_tokens ?? 0)) * D;
    const patches = { data: weight.data.slice(0, end), shape: [end / D, D] };
    const form = { ...learnedPositions.presets[preset], ...options };
    const found = learnedPositions.interpolateGrid(patches, [...size.data], form).data;
    return { data: Float32Array.from([...found, ...weight.data.slice(end)]) };
  },
  sincosGrid({ sincosGrid }, { positions, mask, shape }) {
    const form = sincosGrid.presets[positions.preset];
    if (mask) {
      const own = { ...form, ...positions.options };
      const { data } = sincosGrid.masked(mask, shape[2], own);
      const kept = (/** @type {number} */ x, /** @type {number} */ i) =>
        x * mask.data[Math.floor(i / shape[2])];
      return { data: data.map(kept) };
    }
    return sincosGrid.table(positions.options.grid, shape[1], { ...form, prefix: 1 });
  },
  sinusoidal: ({ sinusoidal }, { positions, shape: [T, D] }) =>
    sinusoidal.table(T, D, { ...sinusoidal.presets[positions.preset], ...positions.options }),
};

/** @typedef {{data: any, shape: readonly number[]}} Piece */

/**
 * What is compared of a family: the name of its bound, phasor's numbers and transformers'.
 * @type {Record<string, (phasor: any, of: {positions: any, tokens: any, tensors: Tensors}) => [string, Piece, Piece][]>}
 */
const PIECES = {
  stages({ windowBias }, { positions, tensors: { bias, w1, b1, w2 } }) {
    const [{ window, pretrained }] = positions.stages;
    const network = { inProjection: w1, inBias: b1, outProjection: w2 };
    return [["network", windowBias.continuousBias(window, { ...network, pretrained }), bias]];
  },

  // XLNet: the scores of its first layer.
  transformerXL(
    phasor,
    { positions, tensors: { bias, q, k, u, v, s, projection, segments, types } },
  ) {
    const [, Tq, D] = q.shape;
    const [Tk, scale] = [k.shape[1], 1 / Math.sqrt(D)];
    const { direction } = positions.options;
    const r = sinusoids(phasor, distances(Tq, Tk, direction, positions.farthest), projection);
    const own = phasor.transformerXL.scores({ q, k, r }, { u, v, projection, direction });
    const index = Array.from({ length: Tq }, (_, i) =>
      Array.from(types.data, (type) => Number(type !== types.data[Tk - Tq + i])),
    );
    const x = {
      ...q,
      data: Float32Array.from(
        q.data,
        (value, i) => value + s.data[Math.floor(i / (Tq * D)) * D + (i % D)],
      ),
    };
    const sum = phasor.shaw.scores(x, segments, { index, scale, add: own });
    const want = { ...bias, data: bias.data.slice() };
    for (let at = 0; at < sum.data.length; ++at) {
      const [h, i, j] = [Math.floor(at / (Tq * Tk)), Math.floor(at / Tk) % Tq, at % Tk];
      for (let d = 0; d < D; ++d) {
        sum.data[at] += scale * q.data[(h * Tq + i) * D + d] * k.data[(h * Tk + j) * D + d];
      }
      const isHidden = direction === "causal" && j > i + Tk - Tq;
      if (isHidden) sum.data[at] = want.data[at] = 0;
    }
    return [["transformerXL", sum, want]];
  },

  // Funnel: the positional part of the last layer of each block.
  strides(phasor, { positions, tensors }) {
    return positions.strides.map((/** @type {number} */ stride, /** @type {number} */ block) => {
      const [bias, q, v, projection] = ["bias", "q", "v", "projection"].map(
        (name) => tensors[name + block],
      );
      const { direction } = positions.options;
      const T = q.shape[1];
      const r = sinusoids(
        phasor,
        distances(T, T, direction).map((d) => d * stride),
        projection,
      );
      const got = phasor.transformerXL.scores({ q, r }, { v, projection, direction });
      if (positions.separate) {
        got.data.forEach((/** @type {number} */ _, /** @type {number} */ at) => {
          if (at % T === 0 || Math.floor(at / T) % T === 0) got.data[at] = 0;
        });
      }
      return ["transformerXL", got, bias];
    });
  },

  // LayoutLM: the rows of its text, and the bias of its scores.
  boxes(phasor, { positions, tokens, tensors }) {
    const { boxes, relative, relativeOptions, relativeScale = 1 } = positions;
    const { ids, types, bias, ...of } = tensors;
    const weight = (/** @type {string} */ name) => of[`weights.${name}`];
    const edge = (/** @type {number} */ at) =>
      Array.from({ length: ids.shape[0] }, (_, t) => Number(of.boxes.data[4 * t + at]));
    const [left, upper, right, lower] = [0, 1, 2, 3].map(edge);
    const { mostSize: most = Infinity } = boxes;
    const size = (/** @type {number[]} */ to, /** @type {number[]} */ from) =>
      to.map((x, t) => Math.min(Math.max(x - from[t], 0), most));
    /** @type {[string, number[]][]} */
    const parts = [
      ["x", left],
      ["y", upper],
      ["x", right],
      ["y", lower],
      ["h", size(lower, upper)],
      ["w", size(right, left)],
    ];
    const rows = parts.map(([axis, at]) =>
      phasor.learnedPositions.lookup(weight(`${axis}_position_embeddings.weight`), at),
    );
    const D = weight("LayerNorm.weight").shape[0];
    const spec = {
      tokens: { ...tokens, unknown: undefined, norm: null },
      positions: { ...positions, rows: undefined },
    };
    const sum = phasor.inputEmbeddings(
      spec,
      {
        words: weight("word_embeddings.weight"),
        positions: weight("position_embeddings.weight"),
        segments: weight("token_type_embeddings.weight"),
      },
      ids,
      { segments: types },
    );
    const beside = rows.flatMap(({ shape }, part) =>
      Array.from({ length: shape[1] }, (_, d) => [part, d]),
    );
    sum.data.forEach((/** @type {number} */ _, /** @type {number} */ at) => {
      const [t, d] = [Math.floor(at / D), at % D];
      if (boxes.join === "sum") for (const { data } of rows) sum.data[at] += data[t * D + d];
      else sum.data[at] += rows[beside[d][0]].row(t).data[beside[d][1]];
    });
    const norm = {
      weight: weight("LayerNorm.weight"),
      bias: weight("LayerNorm.bias"),
      eps: tokens.norm,
    };
    /** @type {[string, Piece, Piece][]} */
    const pieces = [["boxes", phasor.normalize.layerNorm(sum, norm), tensors.input]];
    if (!relative) return pieces;
    const T = ids.shape[0];
    const within = { precision: "torch", maxDistance: boxes.bias.maxDistance };
    const biases = [
      phasor.t5Bias.bias(of.rel_pos_bias, T, {
        precision: "torch",
        maxDistance: relativeOptions.maxDistance,
      }),
      phasor.t5Bias.bias(of.rel_pos_x_bias, T, { ...within, positions: left }),
      phasor.t5Bias.bias(of.rel_pos_y_bias, T, { ...within, positions: lower }),
    ];
    const total = biases[0].data.map(
      (/** @type {number} */ x, /** @type {number} */ at) =>
        relativeScale * (x + biases[1].data[at] + biases[2].data[at]),
    );
    return [...pieces, ["boxes", { data: total, shape: bias.shape }, bias]];
  },
};

/** The distance of each row of r. @param {number} Tq @param {number} Tk @param {string} direction @param {number} [most] */
function distances(Tq, Tk, direction, most = Infinity) {
  const rows = direction === "causal" ? Tk : Tk + Tq - 1;
  return Array.from({ length: rows }, (_, row) => Math.min(Math.max(Tk - 1 - row, -most), most));
}

/** @param {any} phasor @param {number[]} at @param {Piece} projection */
const sinusoids = ({ sinusoidal }, at, { shape: [, E] }) =>
  sinusoidal.table(at, E, { layout: "halves" });
