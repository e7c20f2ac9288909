/** @import { About, Controls, Cost, OfModel, Pictures, Samples, Settings, Widget } from "../../about.js" */

/** @type {About} */
export const about = {
  group: "images",
  title: "Windows of patches",
  words:
    "Patches attend within a window. Each head has a learned bias for each offset between two patches. The numbers here are random.",
  source: { paper: "Liu et al. 2021", url: "https://arxiv.org/abs/2103.14030" },
  best: () => "bias",
};

/** @type {Cost} */
export const cost = ({ heads: H, window: [h, w] }) => [(2 * h - 1) * (2 * w - 1) * H, 0, H * h * w];

/** @type {Samples} */
export const samples = {
  index: (windowBias) => windowBias.index([3, 4]),
  bias: (windowBias, { numbers }) => windowBias.bias(numbers(35, 3), [3, 4]),
  logCoordinates: (windowBias) => windowBias.logCoordinates([3, 4]),
  continuousBias: (windowBias, { numbers }) =>
    windowBias.continuousBias([3, 4], {
      inProjection: numbers(16, 2),
      outProjection: numbers(3, 16),
    }),
  resize: (windowBias, { numbers }) =>
    windowBias.resize(numbers(35, 3), [5, 6], { pretrained: [3, 4] }),
  decomposed: (windowBias, { numbers }) =>
    windowBias.decomposed(numbers(2, 12, 22), [3, 4], {
      heights: numbers(5, 22),
      widths: numbers(7, 22),
    }),
};

/** @type {Widget} */
export const widget = {
  family: "index",
  controls: { height: ["Rows of patches", 4, 1, 12], width: ["Columns of patches", 4, 1, 12] },
  call: ({ windowBias }, { height, width, size = [height, width], ...options }) =>
    windowBias.index(size, options),
};

/** @type {OfModel} */
export const ofModel = ({ heads, options }) => {
  const [height, width] = options.window;
  return { height, width, heads };
};

/** @type {Controls} */
export const controls = {
  height: { label: "Window, rows", initial: 7, min: 1, max: 24 },
  width: { label: "Window, columns", initial: 7, min: 1, max: 24 },
  form: { label: "Form", words: { swin: "patches (Swin)", beit: "with a class token (BEiT)" } },
  heads: { label: "Heads", initial: 3, min: 1, max: 32, views: ["bias", "waves"] },
};

/** Rows of the table. @param {Settings} settings */
const rows = ({ height: h, width: w, form }) =>
  (2 * h - 1) * (2 * w - 1) + (form === "beit" ? 3 : 0);

/** Tokens before the patches. @param {Settings} settings */
const before = ({ form }) => (form === "beit" ? 1 : 0);

/** @param {Settings} settings */
const tokens = (settings) => settings.height * settings.width + before(settings);

/** The row of a query and a key, as a formula. @param {Settings} settings @param {number} i @param {number} j */
const row = (settings, i, j) => {
  const { height: h, width: w } = settings;
  const first = before(settings);
  if (i < first) return `${rows(settings)} - ${j < first ? 1 : 3}`;
  if (j < first) return `${rows(settings)} - 2`;
  const [a, b] = [i - first, j - first];
  const [ya, yb] = [Math.floor(a / w), Math.floor(b / w)];
  return `(${ya} - ${yb} + ${h} - 1) × (2 × ${w} - 1) + (${a % w} - ${b % w} + ${w} - 1)`;
};

/** @param {Settings} settings */
const torchIndex = ({ height, width, form }) => [
  "import torch",
  "",
  `h, w = ${height}, ${width}`,
  "coords = torch.stack(torch.meshgrid(torch.arange(h), torch.arange(w), indexing='ij')).flatten(1)",
  "relative = coords[:, :, None] - coords[:, None, :]  # query - key, along each axis",
  "index = (relative[0] + h - 1) * (2 * w - 1) + relative[1] + w - 1",
  ...(form === "beit"
    ? [
        "rows = (2 * h - 1) * (2 * w - 1) + 3",
        "index = torch.nn.functional.pad(index, (1, 0, 1, 0))",
        "index[0, :], index[:, 0], index[0, 0] = rows - 3, rows - 2, rows - 1",
      ]
    : []),
];

/** @type {Pictures} */
export const pictures = {
  index: {
    title: "Row of each pair of patches",
    call: ({ height, width, form }, { call }) =>
      call("index", [height, width], { classToken: form === "beit" }),
    cell: row,
    torch: torchIndex,
  },
  bias: {
    title: "Bias of a window",
    size: (settings) => ({
      heads: settings.heads,
      queries: tokens(settings),
      keys: tokens(settings),
    }),
    asks: { query: { initial: 24, note: "patches are numbered row by row" } },
    weights: (settings) => [rows(settings), settings.heads],
    std: 0.02,
    call: ({ height, width, form }, { call, name }) =>
      call("bias", name("weights"), [height, width], { classToken: form === "beit" }),
    cell: (settings, h, i, j) => `r = ${row(settings, i, j)}; weights[r, ${h}]`,
    torch: (settings, weights) => [
      ...torchIndex(settings),
      "",
      ...weights,
      "bias = weights[index].permute(2, 0, 1)",
    ],
  },
};
