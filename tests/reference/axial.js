/**
 * Angles of axial rotary embeddings as each source has them, one cell and column at a time, in
 * double: [cells, P]. Nothing is shared between the sources.
 */

/**
 * @param {number[]} grid
 * @param {(...cell: number[]) => number[]} angles  of a cell, P of them
 */
const cells = (grid, angles) => {
  const [t, h, w] = grid.length === 3 ? grid : [1, ...grid];
  const rows = [];
  for (let k = 0; k < t; ++k) {
    for (let y = 0; y < h; ++y) {
      for (let x = 0; x < w; ++x) rows.push(grid.length === 3 ? angles(k, y, x) : angles(y, x));
    }
  }
  return rows.flat();
};

/** @param {number} n @param {(k: number) => number} value */
const list = (n, value) => Array.from({ length: n }, (_, k) => value(k));

/** @type {Record<string, (grid: number[], dim: number) => number[]>} */
export const angles = {
  // EVA-02/asuka/rope.py, dim = head_dim / 2, pt_seq_len = 16
  eva([h, w], D) {
    const dim = D / 2;
    const freqs = list(dim / 2, (i) => 1 / 10000 ** ((2 * i) / dim));
    return cells([h, w], (y, x) => [
      ...freqs.map((f) => (y / h) * 16 * f),
      ...freqs.map((f) => (x / w) * 16 * f),
    ]);
  },

  // rope-vit models/vit_rope.py, compute_axial_cis
  "rope-vit"(grid, D) {
    const freqs = list(D / 4, (k) => 1 / 100 ** ((4 * k) / D));
    return cells(grid, (y, x) => [...freqs.map((f) => x * f), ...freqs.map((f) => y * f)]);
  },

  // dinov3/layers/rope_position_encoding.py, normalize_coords "separate"
  dinov3_vit([h, w], D) {
    const periods = list(D / 4, (k) => 100 ** ((2 * k) / (D / 2)));
    return cells([h, w], (y, x) =>
      [2 * ((y + 0.5) / h) - 1, 2 * ((x + 0.5) / w) - 1].flatMap((coordinate) =>
        periods.map((period) => (2 * Math.PI * coordinate) / period),
      ),
    );
  },

  // transformers models/pixtral/modeling_pixtral.py: freqs[::2] for h, freqs[1::2] for w
  pixtral(grid, D) {
    const freqs = list(D / 2, (j) => 1 / 10000 ** ((2 * j) / D));
    return cells(grid, (y, x) => [
      ...freqs.filter((_, j) => j % 2 === 0).map((f) => y * f),
      ...freqs.filter((_, j) => j % 2 === 1).map((f) => x * f),
    ]);
  },

  // transformers models/qwen2_vl/modeling_qwen2_vl.py, VisionRotaryEmbedding(head_dim / 2)
  qwen2_vl(grid, D) {
    const freqs = list(D / 4, (i) => 1 / 10000 ** ((2 * i) / (D / 2)));
    return cells(grid, (y, x) => [...freqs.map((f) => y * f), ...freqs.map((f) => x * f)]);
  },

  // flux src/flux/math.py, axes_dim [16, 56, 56]
  flux(grid) {
    const dims = [16, 56, 56];
    return cells(grid, (...cell) =>
      dims.flatMap((dim, axis) =>
        list(dim / 2, (k) => cell[axis] * (1 / 10000 ** ((2 * k) / dim))),
      ),
    );
  },

  // diffusers models/embeddings.py, get_3d_rotary_pos_embed
  cogvideox(grid, D) {
    const dims = [D / 4, (D / 8) * 3, (D / 8) * 3];
    return cells(grid, (...cell) =>
      dims.flatMap((dim, axis) =>
        list(dim / 2, (k) => cell[axis] * (1 / 10000 ** ((2 * k) / dim))),
      ),
    );
  },

  // torchtune modules/position_embeddings.py, VisionRotaryPositionalEmbeddings
  torchtune(grid, D) {
    const dim = D / 2;
    const theta = list(dim / 2, (i) => 1 / 10000 ** ((2 * i) / dim));
    return cells(grid, (y, x) => [
      ...theta.map((f) => (x + 1) * f),
      ...theta.map((f) => (y + 1) * f),
    ]);
  },

  // rotary-embedding-torch, freqs_for "pixel", max_freq 10, dim = head_dim / 2
  "lucidrains-pixel"([h, w], D) {
    const n = D / 4;
    const freqs = list(n, (k) => (1 + (k * (10 / 2 - 1)) / (n - 1)) * Math.PI);
    return cells([h, w], (y, x) =>
      [-1 + (2 * y) / (h - 1), -1 + (2 * x) / (w - 1)].flatMap((position) =>
        freqs.map((f) => position * f),
      ),
    );
  },
};

/**
 * rope-vit models/vit_rope.py, compute_mixed_cis.
 * @param {[number, number]} grid  [h, w]
 * @param {ArrayLike<number>} fx  of one head, [P] @param {ArrayLike<number>} fy
 */
export function mixed(grid, fx, fy) {
  return cells(grid, (y, x) => list(fx.length, (i) => fx[i] * x + fy[i] * y));
}
