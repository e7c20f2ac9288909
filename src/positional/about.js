/**
 * What the schemes say of themselves: one file NAME.about.js in a scheme's folder, of literals and of functions of a
 * form's settings. It imports nothing, so that bundlers keep of it what an entry reads: `costs` is in phasor/models,
 * `splits` in phasor/worker, `tables` in the command line, `widgets` in the widget, and the rest in pages and tests alone.
 */
import * as fourierFeatures from "./absolute/fourier_features/fourier_features.about.js";
import * as learnedPositions from "./absolute/learned_positions/learned_positions.about.js";
import * as sincosGrid from "./absolute/sincos_grid/sincos_grid.about.js";
import * as sinusoidal from "./absolute/sinusoidal/sinusoidal.about.js";
import * as alibi from "./bias/alibi/alibi.about.js";
import * as deberta from "./bias/deberta/deberta.about.js";
import * as fire from "./bias/fire/fire.about.js";
import * as kerple from "./bias/kerple/kerple.about.js";
import * as sandwich from "./bias/sandwich/sandwich.about.js";
import * as shaw from "./bias/shaw/shaw.about.js";
import * as t5Bias from "./bias/t5_bias/t5_bias.about.js";
import * as tisa from "./bias/tisa/tisa.about.js";
import * as transformerXL from "./bias/transformer_xl/transformer_xl.about.js";
import * as windowBias from "./bias/window_bias/window_bias.about.js";
import * as axialRope from "./rotary/axial_rope/axial_rope.about.js";
import * as mrope from "./rotary/mrope/mrope.about.js";
import * as rope from "./rotary/rope/rope.about.js";
import * as xpos from "./rotary/xpos/xpos.about.js";

/**
 * The values of a form by the names of its controls.
 * @typedef {Record<string, any>} Settings
 *
 * A control of a form. With an `option`, "METHOD.OPTION" of this module or "MODULE.METHOD.OPTION", its type, default,
 * range and words are those that the option declares; several options make one choice.
 * @typedef {object} Control
 * @property {string} label
 * @property {string | readonly string[]} [option]  without it: a choice where it has words; else by the initial value a
 *   toggle, a list of numbers or a whole number, unless the type is another
 * @property {"number"} [type]
 * @property {any} [initial]
 * @property {number} [min]
 * @property {number} [max]
 * @property {number} [step]  of a whole number
 * @property {Record<string, string>} [words]  labels of the values of a choice; the first is the initial one
 * @property {readonly string[]} [views]  where it changes the picture; default: everywhere
 * @property {(settings: Settings, view: string) => boolean} [when]  whether it does
 * @property {string} [note]  a hint below it
 *
 * A value of a program: a literal, or what these make.
 * @typedef {object} Tools
 * @property {(path: string, ...given: any[]) => any} call  of a function of this module, or "MODULE.METHOD"; options
 *   with their defaults are left out
 * @property {(path: string, ...given: any[]) => any} callInFull  of "MODULE.METHOD", with all options
 * @property {(path: string) => any} name  the result of an earlier line
 * @property {(text: string, value: (scope: any) => any) => any} expression
 * @property {(options: Settings, defaults: Settings) => Settings} changed  options that differ from these defaults
 *
 * Numbers of the scheme and how they come about. A formula is a text; ^(...) is an exponent.
 * @typedef {object} Picture
 * @property {string} [title]
 * @property {string} [row]  what a row is of; default: a position
 * @property {boolean} [isGrid]  whether rows are patches of an image, of the settings `height` and `width`
 * @property {(settings: Settings, tools: Tools) => any} [call]  makes the numbers
 * @property {(settings: Settings, tools: Tools) => Record<string, any>} [lines]  the program, where it has several
 * @property {(settings: Settings) => readonly number[]} [weights]  [rows, columns] of a table `weights`, which is drawn
 * @property {number} [std]  the initial standard deviation of `weights`; default: that of `embedding.create`
 * @property {(settings: Settings) => Record<string, readonly number[]>} [normal]  shapes of arrays of random numbers of
 *   N(0, 1), which lines before those of the picture draw, each from the next seed
 * @property {Record<string, {label?: string, initial?: number, note?: string}>} [asks]  how the settings of its views
 *   differ from those of others: `query` is that of a bias which is drawn as lines, by default the last
 * @property {(settings: Settings, ...cell: any[]) => string} [cell]  the formula of a number
 * @property {(settings: Settings, weights: string[], normal: (name: string, shape: string) => string[]) => string[]} torch
 *   lines of PyTorch; `weights` and `normal` are those that draw
 * @property {(settings: Settings) => any} [size]
 * @property {(settings: Settings) => number} [start]  the position of the first row
 * @property {(settings: Settings, from: number, to: number) => string | undefined} [alike]  the formula of two rows'
 *   similarity
 * @property {{queries: string, keys: string}} [made]  of a similarity: the rotary tables of both
 * @property {(settings: Settings, pair: number) => string} [theta]  the formula of a frequency
 * @property {(settings: Settings) => {length: number, label: string}[]} [context]  lengths that frequencies are measured by
 * @property {(settings: Settings, tools: Tools) => any} [given]  frequencies to compare
 * @property {(settings: Settings) => number} [pairs]  of a clock
 * @property {(settings: Settings) => number} [at]  the row of a clock's table; default: the second of two
 * @property {(settings: Settings, tools: Tools) => Record<string, any>} [frequencies]  with them whole turns are counted
 * @property {(row: number, settings: Settings) => [cos: string, sin: string]} [hand]  of pair i; default: of {cos, sin}
 * @property {(scope: any, i: number, row: number, settings: Settings) => [number, number]} [read]  the same
 *
 * @typedef {object} About
 * @property {"table" | "rotation" | "bias" | "images" | "numbers"} group  where pages offer it
 * @property {string} title
 * @property {string} words  a sentence
 * @property {{paper: string, url: string}} source
 * @property {string} [lesson]
 * @property {(settings: Settings) => "bias" | "spectrum" | undefined} [best]  the view that shows best what the scheme
 *   does; default: the first
 *
 * @typedef {Record<string, Control>} Controls
 * @typedef {Partial<Record<"index" | "bias" | "table" | "rotation" | "similarity" | "spectrum" | "clock", Picture>>} Pictures
 *
 * The settings of the module's presets, all or some of them, and those of a model. A preset without settings is not
 * offered.
 * @typedef {object} Presets
 * @property {readonly string[]} [only] @property {readonly string[]} [without]
 * @property {(options: Settings) => Settings | undefined} [settings]
 *
 * @typedef {(model: any) => Settings} OfModel
 *
 * A row of the table of schemes.
 * @typedef {object} Compared
 * @property {string} [title]  default: that of `about`
 * @property {string} on @property {"absolute" | "relative"} kind
 * @property {"trained"} [length]  the size that `cost` takes as the length; default: that of the text
 * @property {(phasor: any, sizes: any, tools: any) => {isNew: boolean, words: string}} beyond  the trained length
 *
 * Parameters, other stored numbers and operations per token, from the sizes of a model.
 * @typedef {(shape: any) => [parameters: number, table: number, flops: number]} Cost
 *
 * How workers share a function: the rows of a table or of two, each from its own position.
 * @typedef {Record<string, "rows" | "rows of cos and sin">} Split
 *
 * The numbers that a function `table` takes whose arguments or result are not those of its family: `Role` of
 * runtime/options.js. Height and width are one argument.
 * @typedef {{kind: "table" | "rotation", operands: readonly string[]}} Table
 *
 * A picture of the widget, where it is not that of the module's family: `Role` of runtime/options.js. The family states
 * the arguments before the options, and the figure:
 *
 *     rotation   (positions, dim)     a pair (1, 0), turned by { cos, sin } at each position
 *     clock      (positions, dim)     the pairs of one position
 *     bias       (heads, length)      [H, T, T]
 *     index      ()                   int32 [T, T]
 *     patches    (sizes)              a row for each patch of an image, or { cos, sin } of such rows
 *     numbers    (points)             a row for each number
 *
 * @typedef {object} Widget
 * @property {"rotation" | "clock" | "bias" | "index" | "patches" | "numbers"} family
 * @property {Record<string, [label: string, start?: any, min?: number, max?: number, step?: number]>} controls  what they
 *   leave out is that of the option
 * @property {(phasor: any) => Function[]} [methods]  the functions that declare these options
 * @property {(phasor: any, ...given: any[]) => any} call
 * @property {[from: number, to: number]} [points]  of numbers; default: [-1, 1]
 *
 * A call of each function, for fingerprints.
 * @typedef {Record<string, (module: any, given: {numbers: Function, ids: Function, phasor: any}) => unknown>} Samples
 *
 * What a file NAME.about.js exports, or several of these by the names of schemes that are in one module. A scheme may
 * have no presets, no model and no cost, and no row of the table.
 * @typedef {object} Declaration
 * @property {string} [module]  default: the name of the scheme
 * @property {About} about @property {Controls} controls @property {Pictures} pictures @property {Samples} samples
 * @property {Presets} [presets] @property {OfModel} [ofModel] @property {Compared} [compared]
 * @property {Cost} [cost] @property {Split} [split] @property {Table} [table]
 */

/** In the order in which pages offer them. @type {Readonly<Record<string, Declaration>>} */
export const declarations = {
  sinusoidal,
  learnedPositions,
  rope,
  xpos,
  mrope,
  alibi,
  t5Bias,
  kerple,
  sandwich,
  fire,
  tisa,
  shaw,
  transformerXL,
  deberta,
  sincosGrid,
  axialRope,
  windowBias,
  timesteps: fourierFeatures.timesteps,
  gaussian: fourierFeatures.gaussian,
  nerf: fourierFeatures.nerf,
  bands: fourierFeatures.bands,
};

/** parameters, table and flops of each scheme, from a shape. @type {Record<string, Cost>} */
export const costs = {
  sinusoidal: sinusoidal.cost,
  learnedPositions: learnedPositions.cost,
  rope: rope.cost,
  alibi: alibi.cost,
  t5Bias: t5Bias.cost,
  shaw: shaw.cost,
  windowBias: windowBias.cost,
};

/** The rows of the table of schemes, in its order. @type {Record<string, Compared>} */
export const comparisons = {
  learnedPositions: learnedPositions.compared,
  sinusoidal: sinusoidal.compared,
  rope: rope.compared,
  alibi: alibi.compared,
  t5Bias: t5Bias.compared,
  shaw: shaw.compared,
};

/** How workers share the functions that they can share. @type {Record<string, Split>} */
export const splits = { sinusoidal: sinusoidal.split, rope: rope.split };

/** Functions `table` that the command line offers beside those of families. @type {Record<string, Table>} */
export const tables = {
  xpos: xpos.table,
  axialRope: axialRope.table,
  sincosGrid: sincosGrid.table,
};

/** Schemes of the widget beside those that families make, in the order in which it offers them. @type {Record<string, Widget>} */
export const widgets = {
  rope: rope.widget,
  xpos: xpos.widget,
  clock: rope.clock,
  fire: fire.widget,
  shaw: shaw.widget,
  grid: sincosGrid.widget,
  axial: axialRope.widget,
  bands: fourierFeatures.widgets.bands,
  windows: windowBias.widget,
  timesteps: fourierFeatures.widgets.timesteps,
  nerf: fourierFeatures.widgets.nerf,
  gaussian: fourierFeatures.widgets.gaussian,
};
