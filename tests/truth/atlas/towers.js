// Compares what phasor says of image towers with the rotations of transformers and the tables of diffusers:
// tests/truth/atlas/towers.py.

import { Tensor } from "phasor";

/** @import { Tensors } from "./compare.js" */

/** The largest difference, in parts of the largest number: transformers' angles are float32. */
const BOUND = 1e-6;

/** The largest difference of a pipeline's sines: angles below 8, in float32 in some of them. */
export const PIPELINE_BOUND = 2e-7;

/**
 * @typedef {object} Tower
 * @property {string} [error]  why it could not be run
 * @property {Record<string, any>} [config]
 * @property {string} [class]
 * @property {number[]} [grid]  rows and columns, if the tower has no list of positions
 */

/**
 * The first rotation of a tower.
 * @param {Tower} tower @param {Tensors} tensors  before, after [T, D] and positions [N, axes]; the first rows at least
 * @param {{models: any, phasor: any}} phasor
 * @returns {{result: "agrees" | "differs" | "not compared", why: string[]}}
 */
export function compareTower({ error, config, grid }, tensors, { models, phasor }) {
  if (!config) return { result: "not compared", why: [String(error)] };
  const { preset, dim, options } = models.fromConfig(config).positions;
  const { prefix = 0, suffix = 0, pretrained, ...rest } = options;
  const all = { ...phasor.axialRope.presets[preset], ...rest };
  const { before, after, positions } = tensors;
  const [T, D] = before.shape;
  const table = grid
    ? phasor.axialRope.table(grid, dim, {
        ...all,
        prefix,
        suffix,
        ...(pretrained && { pretrained }),
      })
    : phasor.axialRope.at(positions, dim, all);
  // The rows in front of the patches do not rotate: only those of a grid are in the table.
  const first = grid ? 0 : prefix;
  const rows = Math.min(T - first, table.cos.shape[0]);
  const part = (/** @type {Tensors[string]} */ { data }, /** @type {number} */ width) =>
    new Tensor(data.slice(0, rows * width), [rows, width]);
  const x = new Tensor(before.data.slice(first * D, (first + rows) * D), [rows, D]);
  const cos = part(table.cos, dim / 2);
  const sin = part(table.sin, dim / 2);
  const turned = phasor.rope.apply(x, { cos, sin }, { layout: table.layout, dim });
  const got = [...before.data.slice(0, first * D), ...turned.data];
  const most = difference(got, after.data.slice(0, got.length));
  return most <= BOUND
    ? { result: "agrees", why: [] }
    : { result: "differs", why: [`the first rotation differs by ${most.toExponential(1)}`] };
}

/**
 * The largest difference of a preset's table from that of a pipeline.
 * @param {string} name @param {number[]} grid @param {Tensors} tensors  cos and sin, the first rows at least
 * @param {any} phasor
 */
export function comparePipeline(name, grid, { cos, sin }, { axialRope }) {
  const dim = 2 * cos.shape[cos.shape.length - 1];
  const table = axialRope.table(grid, dim, axialRope.presets[name]);
  const of = (/** @type {Tensors[string]} */ want, /** @type {Float32Array} */ got) =>
    difference(got.subarray(0, want.data.length), want.data);
  return Math.max(of(cos, table.cos.data), of(sin, table.sin.data));
}

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want  in parts of its largest number */
function difference(got, want) {
  let [most, size] = [got.length === want.length ? 0 : Infinity, 0];
  for (let i = 0; i < want.length; ++i) {
    most = Math.max(most, Math.abs(got[i] - want[i]));
    size = Math.max(size, Math.abs(want[i]));
  }
  return most / size;
}

/** Towers in the sample that `npm test` compares: each preset once, and those with a special case. */
export const SAMPLE =
  `qwen2_vl_vision qwen3_vl_vision pixtral dinov3_vit llama4_vision_model kimi_k25_vision step3p5_vision
   muse_spark_vision inkling2_vision minimax_m3_vl_vision sam3_vit_model`.split(/\s+/);

/** Rows that the sample has of each. */
const ROWS = 8;

/**
 * The sample: the first rows.
 * @param {{towers: Record<string, Tower>, pipelines: Record<string, {grid: number[]}>}} facts @param {Tensors} tensors
 */
export function sampledTowers({ towers, pipelines }, tensors) {
  const names = Object.keys(tensors).filter((name) =>
    [...SAMPLE, ...Object.keys(pipelines)].includes(name.split("/")[0]),
  );
  const cut = names.map((name) => {
    const { data, shape } = tensors[name];
    const rows = Math.min(ROWS, shape[0]);
    return [name, { data: data.slice(0, rows * shape[1]), shape: [rows, shape[1]] }];
  });
  const kept = SAMPLE.map((name) => [name, towers[name]]);
  return {
    facts: { towers: Object.fromEntries(kept), pipelines },
    tensors: /** @type {Tensors} */ (Object.fromEntries(cut)),
  };
}
