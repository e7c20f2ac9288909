/**
 * What the package promises about the accuracy of its results. The guide "Accuracy" shows these rows,
 * `npm run accuracy` measures those that have a bound, and a test sees that every function whose
 * comment has an "Accuracy" is listed.
 *
 * @typedef {object} Row
 * @property {string} id  of the row on the page, and of its measurement
 * @property {string} what
 * @property {readonly string[]} calls  the functions that keep the promise
 * @property {string} promise
 * @property {readonly string[]} tests  files in tests/
 * @property {number} [bound]  of the largest error that `npm run accuracy` finds
 * @property {string} [unit]  of the bound
 */

/** @type {readonly { title: string, rows: readonly Row[] }[]} */
export const promises = [
  {
    title: "Rotary and sinusoidal tables",
    rows: [
      {
        id: "frequencies",
        what: "Frequencies",
        calls: ["rope.frequencies"],
        promise: "correctly rounded",
        tests: ["math/phase.test.cpp", "positional/rotary/rope.test.js"],
        bound: 0.5,
        unit: "ULP",
      },
      {
        id: "scaled-frequencies",
        what: "Frequencies with a scaling",
        calls: ["rope.frequencies"],
        promise: "0.501 ULP",
        tests: ["positional/rotary/rope_scaling.test.js"],
        bound: 0.501,
        unit: "ULP",
      },
      {
        id: "torch-frequencies",
        what: "Frequencies with precision `torch`",
        calls: ["rope.frequencies"],
        promise: "2 ULP from PyTorch's; with a scaling, 5 ULP of the unscaled frequency",
        tests: ["positional/rotary/rope.test.js", "positional/rotary/rope_scaling.test.js"],
      },
      {
        id: "tables",
        what: "Tables, positions within ±2^20",
        calls: [
          "sinusoidal.table",
          "rope.table",
          "mrope.table",
          "axialRope.table",
          "sincosGrid.table",
          "sincosGrid.masked",
        ],
        promise: "0.501 ULP, also where a sine or cosine is close to 0",
        tests: [
          "math/phase.test.cpp",
          "positional/absolute/sinusoidal.test.js",
          "positional/rotary/rope.test.js",
        ],
        bound: 0.501,
        unit: "ULP",
      },
      {
        id: "far-tables",
        what: "Tables, positions within ±2^31",
        calls: ["sinusoidal.table", "rope.table", "mrope.table", "axialRope.mixed"],
        promise: "2.99e-8 absolute, times the scale's next power of two",
        tests: [
          "math/phase.test.cpp",
          "positional/absolute/sinusoidal.test.js",
          "positional/rotary/axial_rope.test.js",
        ],
        bound: 2.99e-8,
      },
      {
        id: "scaled-tables",
        what: "Tables with a scaling, positions within ±2^20",
        calls: ["rope.table"],
        promise: "3.03e-8 absolute, times the attention factor's next power of two",
        tests: ["positional/rotary/rope_scaling.test.js"],
        bound: 3.03e-8,
      },
      {
        id: "far-scaled-tables",
        what: "Tables with a scaling, positions from 2^20 to 2^31",
        calls: ["rope.table"],
        promise: "2.99e-8 absolute, times the attention factor's next power of two",
        tests: ["positional/rotary/rope_scaling.test.js"],
        bound: 2.99e-8,
      },
      {
        id: "torch-tables",
        what: "Tables with precision `torch`",
        calls: ["sinusoidal.table", "rope.table"],
        promise:
          "1 ULP from the sine of PyTorch's float32 angle, where the frequency has the same bits",
        tests: ["math/phase.test.cpp", "positional/absolute/sinusoidal.test.js"],
        bound: 0.51,
        unit: "ULP from the sine of the float32 angle",
      },
      {
        id: "xpos",
        what: "Scaled rotary tables (xPos)",
        calls: ["xpos.table"],
        promise: "0.501 ULP",
        tests: ["positional/rotary/xpos.test.cpp", "positional/rotary/xpos.test.js"],
      },
      {
        id: "rotation",
        what: "Rotation",
        calls: ["rope.apply", "rope.cache"],
        promise: "1.7e-7 of the pair's length",
        tests: ["positional/rotary/rope.test.js"],
        bound: 1.7e-7,
        unit: "of the pair's length",
      },
      {
        id: "distance",
        what: "A rotated query times a rotated key depends on their distance alone",
        calls: ["rope.apply"],
        promise: "1e-6 of the product of the two lengths",
        tests: ["positional/rotary/rope.test.js"],
        bound: 1e-6,
        unit: "of the lengths",
      },
      {
        id: "fourier",
        what: "Fourier features and timesteps",
        calls: [
          "fourierFeatures.timesteps",
          "fourierFeatures.gaussian",
          "fourierFeatures.nerf",
          "fourierFeatures.bands",
        ],
        promise: "0.501 ULP of the formula for the doubles given; 2.99e-8 for times beyond 2^20",
        tests: ["positional/absolute/fourier_features.test.js"],
      },
      {
        id: "interpolation",
        what: "Interpolated learned positions",
        calls: ["learnedPositions.interpolate", "learnedPositions.interpolateGrid"],
        promise: "computed in double, rounded once",
        tests: ["positional/absolute/learned_positions.test.js"],
      },
      {
        id: "rounding",
        what: "Measured rounding errors",
        calls: ["rounding.report"],
        promise: "known to 1e-15",
        tests: ["analysis/rounding.test.js"],
      },
    ],
  },
  {
    title: "Attention biases",
    rows: [
      {
        id: "alibi",
        what: "ALiBi slopes, any number of heads",
        calls: ["alibi.slopes"],
        promise: "correctly rounded",
        tests: ["positional/bias/alibi.test.cpp", "positional/bias/alibi.test.js"],
        bound: 0.5,
        unit: "ULP",
      },
      {
        id: "alibi-bias",
        what: "ALiBi biases",
        calls: ["alibi.bias", "alibi.keyBias"],
        promise: "slope times distance, correctly rounded up to distance 2^29",
        tests: ["positional/bias/alibi.test.js"],
      },
      {
        id: "buckets",
        what: "T5's and DeBERTa's buckets, distances within 2^20",
        calls: ["t5Bias.bucket", "deberta.buckets"],
        promise: "the formula's whole number",
        tests: ["positional/bias/t5_bias.test.js", "positional/bias/deberta.test.js"],
      },
      {
        id: "decays",
        what: "KERPLE and Sandwich",
        calls: ["kerple.bias", "sandwich.bias"],
        promise: "0.501 ULP (Sandwich: distances up to 4096)",
        tests: ["positional/bias/kerple.test.js", "positional/bias/sandwich.test.js"],
      },
      {
        id: "learned-biases",
        what: "FIRE, CoPE and the relative embeddings of Shaw et al.",
        calls: ["fire.bias", "cope.bias", "shaw.scores", "shaw.values"],
        promise: "computed in double, rounded once",
        tests: [
          "positional/bias/fire.test.js",
          "positional/bias/cope.test.js",
          "positional/bias/shaw.test.js",
        ],
      },
      {
        id: "transformer-xl",
        what: "Transformer-XL",
        calls: ["transformerXL.scores"],
        promise: "q + v, W r and the first term rounded to float32, the rest in double",
        tests: ["positional/bias/transformer_xl.test.js"],
      },
      {
        id: "windows",
        what: "Window biases",
        calls: [
          "windowBias.logCoordinates",
          "windowBias.continuousBias",
          "windowBias.resize",
          "windowBias.decomposed",
        ],
        promise: "computed in double, rounded once; coordinates 0.51 ULP",
        tests: ["positional/bias/window_bias.test.js"],
      },
    ],
  },
  {
    title: "Embeddings, normalization, training",
    rows: [
      {
        id: "lookup",
        what: "Lookup",
        calls: ["embedding.create"],
        promise: "the table's own bits; one rounding for a scale",
        tests: ["embedding/embedding.test.js"],
      },
      {
        id: "input-embeddings",
        what: "The input of a model's first layer",
        calls: ["inputEmbeddings"],
        promise: "equal bits to the same steps made one by one; float32 sums",
        tests: ["models/input_embeddings.test.js"],
      },
      {
        id: "generators",
        what: 'Random tables with `generator: "torch"`',
        calls: ["embedding.create"],
        promise: "1e-6 standard deviations from PyTorch's CPU generator",
        tests: ["embedding/embedding.test.js", "math/random.test.cpp"],
      },
      {
        id: "dtypes",
        what: "float16, bfloat16, float8 and GGUF blocks",
        calls: ["dtypes.decode", "dtypes.encode"],
        promise: "exact to float32; to the nearest, ties to even, back",
        tests: ["math/half.test.cpp", "embedding/dtypes.test.js"],
      },
      {
        id: "files",
        what: "Tensors read from files",
        calls: [
          "npy.read",
          "SafetensorsFile.tensor",
          "GgufFile.tensor",
          "NpzFile.tensor",
          "OpenModel.tensor",
          "ModelTable.rows",
        ],
        promise: "exact; float64 and wide integers rounded once",
        tests: ["files/safetensors.test.js", "files/npy.test.js", "files/gguf.test.js"],
      },
      {
        id: "normalize",
        what: "LayerNorm, RMSNorm, rows of length 1",
        calls: ["normalize.layerNorm", "normalize.rmsNorm", "normalize.l2"],
        promise:
          "sums in double: 0.501 × 2^-23 of the result; LayerNorm 2^-33 (|weight| + |bias|) more",
        tests: ["embedding/normalize.test.js"],
        bound: 0.501,
        unit: "ULP (RMSNorm)",
      },
      {
        id: "pooling",
        what: "Sentence vectors of hidden states, and the linear layer behind them",
        calls: ["pooling.apply", "pooling.dense"],
        promise: "sums and lengths in double, rounded once; 1e-6 from Sentence Transformers",
        tests: ["embedding/pooling.test.js", "embedding/pooling.test.cpp"],
      },
      {
        id: "sentences",
        what: "Sentence vectors of opened models",
        calls: ["OpenModel.pool", "OpenModel.encode"],
        promise: "1e-6 from Sentence Transformers and Model2Vec, of their float32 sums",
        tests: ["models/open/sentences.test.js"],
      },
      {
        id: "per-layer",
        what: "The rows that every layer of Gemma 3n and 4 gets",
        calls: ["OpenModel.perLayer"],
        promise: "each step rounded once to float32; 3e-6 of the largest number from transformers",
        tests: ["models/open/per_layer.test.js"],
      },
      {
        id: "dropout",
        what: "Dropout",
        calls: ["dropout.apply"],
        promise: "0.501 ULP",
        tests: ["embedding/dropout.test.js"],
      },
      {
        id: "gradients",
        what: "Gradients of lookups and bags",
        calls: ["embedding.create", "embeddingBag.create"],
        promise: "1e-6 relative from finite differences; repeated ids added in their order",
        tests: ["embedding/training.test.js", "embedding/embedding_bag.test.js"],
      },
      {
        id: "skipgram",
        what: "Skip-gram",
        calls: ["skipgram.create"],
        promise: "gradients in double, each weight rounded once a step",
        tests: ["training/skipgram.test.js"],
      },
    ],
  },
  {
    title: "Attention and analysis",
    rows: [
      {
        id: "softmax",
        what: "Softmax; each row sums to 1 as closely",
        calls: ["attention.softmax", "attention.scaledDotProduct"],
        promise: "1.2e-7 relative",
        tests: ["attention/attention.test.js"],
        bound: 1.2e-7,
        unit: "relative",
      },
      {
        id: "attention",
        what: "Scores, mixed values, projections",
        calls: [
          "attention.scaledDotProduct",
          "attention.scores",
          "attention.linear",
          "attention.multiHead",
        ],
        promise:
          "sums of D products within (min(D, 32) / 2 + 2) 2^-24 of the sum of their magnitudes, or in double; rounded once; one more rounding for a bias",
        tests: ["attention/attention.test.js"],
      },
      {
        id: "cosine",
        what: "Cosine similarity",
        calls: ["similarity.pair", "similarity.rows", "similarity.matrix", "nearest"],
        promise: "3e-8 absolute",
        tests: ["analysis/similarity.test.js"],
        bound: 3e-8,
      },
      {
        id: "euclidean",
        what: "Euclidean distance",
        calls: ["similarity.pair", "similarity.rows", "similarity.matrix", "nearest"],
        promise: "6e-8 relative",
        tests: ["analysis/similarity.test.js"],
        bound: 6e-8,
        unit: "relative",
      },
      {
        id: "nearest",
        what: "Order of the nearest neighbors",
        calls: ["nearest"],
        promise: "as in double; ties by the lower id, NaN last",
        tests: ["analysis/nearest.test.js"],
      },
      {
        id: "pca",
        what: "Principal components",
        calls: ["pca", "statistics.singularValues"],
        promise:
          "orthonormal to 1e-6, variances to 1e-5 relative, directions to 1e-9 of variance over gap",
        tests: ["analysis/pca.test.js", "analysis/statistics.test.js"],
        bound: 1e-6,
        unit: "(orthonormality)",
      },
      {
        id: "statistics",
        what: "Lengths and their statistics",
        calls: ["statistics.norms", "statistics.summary"],
        promise: "lengths 0.501 ULP, statistics in double",
        tests: ["analysis/statistics.test.js"],
      },
    ],
  },
  {
    title: "Underneath",
    rows: [
      {
        id: "elementary",
        what: "sin and cos of float32 angles within ±2^31; exp, log, log1p, tanh, sigmoid, pow of all float32",
        calls: [],
        promise: "0.51 ULP",
        tests: ["math/phase.test.cpp", "math/elementary.test.cpp"],
      },
      {
        id: "sums",
        what: "Dot products",
        calls: [],
        promise: "products exact, sums in double: D × 2^-53 of the sum of the magnitudes",
        tests: ["math/linear.test.cpp"],
      },
    ],
  },
];
