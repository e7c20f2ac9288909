/** @import { Part } from "../parts.js" */
/** @import { Values } from "../settings.js" */
import { call, line } from "../program.js";
import { plain, power } from "../parts.js";
import { choice, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, valuesOf } from "./options.js";
import { scheme } from "./scheme.js";
import { biasViews, QUERY } from "./views.js";

const title = "ALiBi";

/** Whether a form is of the keys alone. @param {Values} settings */
const ofKeys = ({ form }) => form === "first" || form === "last";

/** @param {Values} settings */
function lines(settings) {
  const { heads, length, form, biasMax, dtype } = settings;
  const slopes = changedOptions("alibi.slopes", { biasMax });
  if (!ofKeys(settings)) {
    const options = { ...changedOptions("alibi.bias", { form }), ...slopes };
    return [line("bias", call("alibi.bias", heads, length, options))];
  }
  const options = { ...changedOptions("alibi.keyBias", { zero: form, dtype }), ...slopes };
  return [line("bias", call("alibi.keyBias", heads, length, options))];
}

/** A head's slope. @param {Values} settings @param {number} h @returns {Part[]} */
function slope({ heads, biasMax }, h) {
  const m = 2 ** Math.floor(Math.log2(heads));
  return [
    "2",
    power(h < m ? `−${biasMax}·(${h} + 1)/${m}` : `−${biasMax}·(2·(${h} − ${m}) + 1)/(2·${m})`),
  ];
}

/** @param {Values} settings @param {number} h @param {number} i @param {number} j @returns {Part[]} */
function cell(settings, h, i, j) {
  const { form, length, dtype } = settings;
  const kept = ofKeys(settings) && dtype !== "float32" ? `, each step rounded to ${dtype}` : "";
  switch (form) {
    case "press":
    case "first":
      return [...slope(settings, h), ` × ${j}`, kept].filter(Boolean);
    case "last":
      return [...slope(settings, h), ` × ${plain(j - (length - 1))}`, kept].filter(Boolean);
    case "symmetric":
      return ["−", ...slope(settings, h), ` × |${i} − ${j}|`];
    default:
      return ["−", ...slope(settings, h), ` × (${i} − ${j})`];
  }
}

/** @param {Values} settings @returns {string[]} */
function torch(settings) {
  const { heads, length, form, biasMax, dtype } = settings;
  const rows = {
    symmetric: ["bias = -slopes * (i - j).abs()"],
    linear: ["bias = -slopes * (i - j)"],
    causal: ["bias = (-slopes * (i - j)).masked_fill(j > i, float('-inf'))"],
    press: ["bias = (slopes * j).expand(-1, length, -1).masked_fill(j > i, float('-inf'))"],
    first: ["bias = slopes * j"],
    last: ["bias = slopes * (j - (length - 1))"],
  };
  const kept = ofKeys(settings) && dtype !== "float32";
  return [
    "import math",
    "import torch",
    "",
    "def get_slopes(n):  # as in Press\u2019s code",
    "    m = 2 ** math.floor(math.log2(n))",
    `    slopes = [2 ** (-${biasMax} * (h + 1) / m) for h in range(m)]`,
    `    return slopes + [2 ** (-${biasMax} * (2 * h + 1) / (2 * m)) for h in range(n - m)]`,
    "",
    `length = ${length}`,
    `slopes = torch.tensor(get_slopes(${heads})).view(-1, 1, 1)`,
    ...(kept ? [`slopes = slopes.to(torch.${dtype})`] : []),
    `i, j = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)${kept ? `.to(torch.${dtype})` : ""}`,
    ...rows[/** @type {"causal"} */ (form)],
    ...(kept ? ["bias = bias.float()"] : []),
  ];
}

export const alibi = scheme({
  name: "alibi",
  title,
  words:
    "Each head subtracts its slope times the distance from the attention logits. Nothing is added to the input.",
  source: { paper: "Press, Smith, Lewis 2022", url: "https://arxiv.org/abs/2108.12409" },
  lesson: "alibi",
  settings: [
    whole("heads", "Heads", 8, 1, 128),
    whole("length", "Tokens", 32, 2, 512),
    choice("form", "Form", {
      ...labelsOf("alibi.bias", "form", {
        causal: "causal, −slope × distance",
        symmetric: "symmetric, −slope × |distance|",
        linear: "linear, positive for later keys",
        press: "slope × key, causal (Press\u2019s code)",
      }),
      ...labelsOf("alibi.keyBias", "zero", {
        first: "keys only, 0 at the first (BLOOM, Falcon)",
        last: "keys only, 0 at the last (MPT)",
      }),
    }),
    numberOf("alibi.slopes", "biasMax", "Largest exponent", { least: 0.001 }),
    choice("dtype", "Rounded to", valuesOf("alibi.keyBias", "dtype"), { when: ofKeys }),
    { ...QUERY, when: (settings, view) => view === "waves" && !ofKeys(settings) },
  ],
  best: () => "bias",
  views: biasViews({
    title,
    size: (settings) => ({
      heads: settings.heads,
      queries: ofKeys(settings) ? 1 : settings.length,
      keys: settings.length,
    }),
    lines,
    cell,
    torch,
  }),
});
