/** @import { Values } from "../settings.js" */
import { call, line, name } from "../program.js";
import { choice, whole } from "../settings.js";
import { changedOptions, numberOf } from "./options.js";
import { scheme } from "./scheme.js";
import { biasViews, DRAWN, drawnTorch, indexView, only, QUERY } from "./views.js";

const ofBias = only("bias", "waves");

/** Rows of the table. @param {Values} settings */
function rows({ height: h, width: w, form }) {
  return (2 * h - 1) * (2 * w - 1) + (form === "beit" ? 3 : 0);
}

/** @param {Values} settings */
const before = ({ form }) => (form === "beit" ? 1 : 0);

/** @param {Values} settings */
const tokens = (settings) => settings.height * settings.width + before(settings);

/** The row of a query and a key, as a formula. @param {Values} settings @param {number} i @param {number} j */
function row(settings, i, j) {
  const { height: h, width: w } = settings;
  const first = before(settings);
  if (i < first) return `${rows(settings)} − ${j < first ? 1 : 3}`;
  if (j < first) return `${rows(settings)} − 2`;
  const [a, b] = [i - first, j - first];
  const [ya, yb] = [Math.floor(a / w), Math.floor(b / w)];
  return `(${ya} − ${yb} + ${h} − 1) × (2 × ${w} − 1) + (${a % w} − ${b % w} + ${w} − 1)`;
}

/** @param {Values} settings */
const form = ({ form }) => changedOptions("windowBias.index", { classToken: form === "beit" });

/** @param {Values} settings @returns {string[]} */
function torchIndex({ height, width, form }) {
  return [
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
}

export const windowBias = scheme({
  name: "windowBias",
  title: "Windows of patches",
  words:
    "Patches attend within a window. Each head has a learned bias for each offset between two patches. The numbers here are random.",
  source: { paper: "Liu et al. 2021", url: "https://arxiv.org/abs/2103.14030" },
  settings: [
    whole("height", "Window, rows", 7, 1, 24),
    whole("width", "Window, columns", 7, 1, 24),
    choice("form", "Form", { swin: "patches (Swin)", beit: "with a class token (BEiT)" }),
    whole("heads", "Heads", 3, 1, 32, { when: ofBias }),
    numberOf("embedding.create", "std", "Standard deviation", {
      initial: 0.02,
      most: 1000,
      when: ofBias,
    }),
    ...DRAWN.map((setting) => ({ ...setting, when: ofBias })),
    { ...QUERY, initial: 24, note: "patches are numbered row by row" },
  ],
  best: () => "bias",
  views: {
    heatmap: indexView({
      title: "Row of each pair of patches",
      lines: (settings) => [
        line("index", call("windowBias.index", [settings.height, settings.width], form(settings))),
      ],
      cell: (settings, i, j) => [row(settings, i, j)],
      torch: torchIndex,
    }),
    ...biasViews({
      title: "Bias of a window",
      size: (settings) => ({
        heads: settings.heads,
        queries: tokens(settings),
        keys: tokens(settings),
      }),
      lines(settings) {
        const { heads, height, width, std, seed, generator } = settings;
        const given = changedOptions("embedding.create", { std, seed, generator });
        return [
          line("fresh", call("embedding.create", rows(settings), heads, given)), // untrained
          line("weights", call("fresh.weights")),
          line("bias", call("windowBias.bias", name("weights"), [height, width], form(settings))),
        ];
      },
      cell: (settings, h, i, j) => [`r = ${row(settings, i, j)}; weights[r, ${h}]`],
      torch: (settings) => [
        ...torchIndex(settings),
        "",
        ...drawnTorch("weights", settings, `${rows(settings)}, ${settings.heads}`),
        "bias = weights[index].permute(2, 0, 1)",
      ],
    }),
  },
});
