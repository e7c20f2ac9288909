/** @import { Part } from "../parts.js" */
/** @import { Values } from "../settings.js" */
import { call, expression, line, name } from "../program.js";
import { plain, power } from "../parts.js";
import { choice, list, whole } from "../settings.js";
import { changedOptions, labelsOf, numberOf, precisionOf, valuesOf } from "./options.js";
import { scheme } from "./scheme.js";
import { CLOCK, clockOf, FROM, LINES, only, rotationViews, spectrumOf } from "./views.js";

const title = "M-RoPE";
const AXES = ["time", "height", "width"];

/** @param {Values} settings */
const tokens = ({ text, frames, height, width, after }) => text + frames * height * width + after;

/**
 * The position of a token in time, height and width.
 * @param {Values} settings @param {number} t
 */
function place({ text, frames, height, width }, t) {
  const image = frames * height * width;
  if (t < text) return [t, t, t];
  if (t < text + image) {
    const k = t - text;
    const inFrame = k % (height * width);
    return [
      text + Math.floor(k / (height * width)),
      text + Math.floor(inFrame / width),
      text + (inFrame % width),
    ];
  }
  const at = text + (image === 0 ? 0 : Math.max(frames, height, width)) + t - text - image;
  return [at, at, at];
}

/** Which axis pair i turns with. @param {Values} settings @param {number} i */
function axisOf({ sections, arrangement }, i) {
  if (arrangement === "interleaved") return i < 3 * sections[i % 3] ? i % 3 : 0;
  if (arrangement === "alternating") return i < 2 * sections[1] ? 1 + (i % 2) : 0;
  if (i < sections[0]) return 0;
  return i < sections[0] + sections[1] ? 1 : 2;
}

/** @param {Values} settings */
function options({ base, sections, arrangement, precision, recipe }) {
  const steps = precision === "torch" ? recipe : undefined;
  const given = { base, arrangement, precision, recipe: steps };
  return { sections, ...changedOptions("mrope.table", given) };
}

/** @param {Values} settings @param {string} as */
function lines(settings, as) {
  const { text, frames, height, width, after, dim } = settings;
  const segments = [{ text }, { grid: [frames, height, width] }, { text: after }];
  return [
    line("tokens", call("positionIds.multimodal", segments)),
    line(as, call("mrope.table", name("tokens.positions"), dim, options(settings))),
  ];
}

/** @param {Values} settings @param {number} t @param {number} i @param {"cos" | "sin"} wave @returns {Part[]} */
function cell(settings, t, i, wave) {
  const axis = axisOf(settings, i);
  const at = place(settings, t)[axis];
  const { base, dim } = settings;
  return [`by ${AXES[axis]}; ${wave}(${at} / `, plain(base), power(`2·${i}/${dim}`), ")"];
}

/** The lines that give each frequency its axis. @param {string} arrangement @param {number[]} sections */
function mixed(arrangement, [time, height, width]) {
  if (arrangement === "chunked") {
    const sizes = `[${time}, ${height}, ${width}]`;
    return [
      `freqs = torch.cat([part[axis] for axis, part in enumerate(freqs.split(${sizes}, dim=-1))], dim=-1)`,
    ];
  }
  const [end, step] = arrangement === "interleaved" ? ["3 * section", "3"] : ["2 * section", "2"];
  const first = arrangement === "interleaved" ? "axis" : "axis - 1";
  return [
    "mixed = freqs[0].clone()",
    `for axis, section in ((1, ${height}), (2, ${width})):`,
    `    mixed[:, ${first} : ${end} : ${step}] = freqs[axis, :, ${first} : ${end} : ${step}]`,
    "freqs = mixed",
  ];
}

/** @param {Values} settings @returns {string[]} */
function torch(settings) {
  const { text, frames, height, width, after, dim, base, sections, arrangement } = settings;
  const longest = Math.max(frames, height, width);
  return [
    "import torch",
    "",
    `text, (t, h, w), after = ${text}, (${frames}, ${height}, ${width}), ${after}`,
    "image = torch.stack(torch.meshgrid(torch.arange(t), torch.arange(h), torch.arange(w), indexing='ij')).flatten(1)",
    "before = torch.arange(text).expand(3, -1)",
    `behind = (torch.arange(after) + text + ${longest}).expand(3, -1)`,
    "positions = torch.cat((before, image + text, behind), dim=1)  # [3, T]: time, height, width",
    `inv_freq = 1.0 / ${base} ** (torch.arange(0, ${dim}, 2).float() / ${dim})`,
    "freqs = positions.unsqueeze(-1).float() * inv_freq",
    ...mixed(arrangement, sections),
    "cos, sin = freqs.cos(), freqs.sin()",
  ];
}

/** A token, clamped to the text. @param {Values} settings */
const tokenOf = (settings) => Math.min(settings.position, tokens(settings) - 1);

export const mrope = scheme({
  name: "mrope",
  title,
  words:
    "RoPE for text and images: every pair rotates with a token\u2019s time, height or width. In text all three are equal.",
  source: { paper: "Wang et al. 2024", url: "https://arxiv.org/abs/2409.12191" },
  settings: [
    whole("text", "Text tokens before", 8, 0, 512, { when: (_, view) => view !== "spectrum" }),
    whole("frames", "Frames", 1, 1, 16, { when: (_, view) => view !== "spectrum" }),
    whole("height", "Rows of a frame", 6, 1, 32, { when: (_, view) => view !== "spectrum" }),
    whole("width", "Columns of a frame", 8, 1, 32, { when: (_, view) => view !== "spectrum" }),
    whole("after", "Text tokens after", 8, 0, 512, {
      when: (_, view) => view !== "spectrum",
    }),
    whole("dim", "Rotated width R", 128, 6, 512, { step: 2 }),
    list("sections", "Pairs of time, height, width", [16, 24, 24], 1, 256, {
      note: "their sum is R / 2",
    }),
    choice(
      "arrangement",
      "Arrangement",
      labelsOf("mrope.table", "arrangement", {
        chunked: "in chunks (Qwen2-VL)",
        interleaved: "interleaved (Qwen3-VL)",
        alternating: "alternating (ERNIE 4.5 VL)",
      }),
    ),
    numberOf("mrope.table", "base", "Base", { initial: 1000000, most: 1e12 }),
    choice("layout", "Layout", valuesOf("rope.apply", "layout"), {
      when: only("heatmap", "waves"),
    }),
    choice("precision", "Precision", precisionOf("mrope.table", "PyTorch\u2019s float32 steps"), {
      when: (_, view) => view !== "spectrum",
    }),
    choice("recipe", "Compute frequencies with", valuesOf("mrope.table", "recipe"), {
      when: ({ precision }, view) => precision === "torch" && view !== "spectrum",
    }),
    ...LINES,
    { ...FROM, label: "Compared with token" },
    { ...CLOCK[0], label: "Token", initial: 12 },
    CLOCK[1],
  ],
  views: {
    ...rotationViews({
      title,
      row: "token",
      size: (settings) => ({
        rows: tokens(settings),
        columns: settings.dim,
        turned: settings.dim,
        layout: settings.layout,
      }),
      lines: (settings) => lines(settings, "table"),
      cell,
      torch,
    }),
    spectrum: spectrumOf({
      title: "Frequencies by axis",
      lines(settings) {
        const { dim, base } = settings;
        const ofAxis = (/** @type {number} */ axis) =>
          line(
            AXES[axis],
            expression(`frequencies.data.filter((_, i) => axes.at(i) === ${axis})`, (scope) =>
              scope.frequencies.data.filter(
                (/** @type {number} */ _, /** @type {number} */ i) => scope.axes.at(i) === axis,
              ),
            ),
          );
        const { sections, arrangement } = settings;
        const dealt = { sections, ...changedOptions("mrope.axes", { arrangement }) };
        return [
          line("all", call("rope.frequencies", dim, changedOptions("mrope.table", { base }))),
          line("axes", call("mrope.axes", dim, dealt)),
          line("frequencies", name("all.frequencies")),
          ...[0, 1, 2].map(ofAxis),
        ];
      },
      given: () => AXES.map((label) => ({ label, frequencies: name(label) })),
      theta: (settings, i) => [
        `by ${AXES[axisOf(settings, i)]}; 1 / `,
        plain(settings.base),
        power(`2·${i}/${settings.dim}`),
      ],
      context: () => [],
      torch: ({ dim, base }) => [
        "import torch",
        "",
        `frequencies = 1.0 / ${base} ** (torch.arange(0, ${dim}, 2).float() / ${dim})`,
      ],
    }),
    clock: clockOf({
      title: "Pairs of a token",
      where: (settings) => `token ${tokenOf(settings)}`,
      pairs: ({ dim }) => dim / 2,
      lines: (settings) => lines(settings, "turns"),
      hand: (row, settings) => {
        const token = row * tokenOf(settings);
        return [`turns.cos.at(${token}, i)`, `turns.sin.at(${token}, i)`];
      },
      read: ({ turns }, i, row, settings) => {
        const token = row * tokenOf(settings);
        return [turns.cos.at(token, i), turns.sin.at(token, i)];
      },
      cell: (settings, pair, wave) => cell(settings, tokenOf(settings), pair, wave),
      torch: (settings) => [
        ...torch(settings),
        `cos, sin = cos[${tokenOf(settings)} :][:1], sin[${tokenOf(settings)} :][:1]`,
      ],
    }),
  },
});
