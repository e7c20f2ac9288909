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

  // transformers models/llama4/modeling_llama4.py, Llama4VisionRotaryEmbedding, without the class token
  llama4_vision(grid, D) {
    const dim = D / 2;
    const freqs = list(dim / 2, (i) => 1 / 10000 ** ((2 * i) / dim));
    return cells(grid, (y, x) => [
      ...freqs.map((f) => (x + 1) * f),
      ...freqs.map((f) => (y + 1) * f),
    ]);
  },

  // transformers models/kimi_k25/modeling_kimi_k25.py: transpose(1, 2).flip(-1).flatten(1)
  kimi_k25(grid, D) {
    const freqs = list(D / 4, (i) => 1 / 10000 ** ((2 * i) / (D / 2)));
    return cells(grid, (y, x) => freqs.flatMap((f) => [x * f, y * f]));
  },

  // transformers models/sam3/modeling_sam3.py: positions (w, h) times window_size / grid
  sam3_vit([h, w], D) {
    const freqs = list(D / 4, (i) => 1 / 10000 ** ((2 * i) / (D / 2)));
    return cells([h, w], (y, x) => [
      ...freqs.map((f) => ((x * 24) / w) * f),
      ...freqs.map((f) => ((y * 24) / h) * f),
    ]);
  },

  // transformers models/sam2_video/modeling_sam2_video.py: positions (w, h)
  sam2_video(grid, D) {
    const freqs = list(D / 4, (i) => 1 / 10000 ** ((2 * i) / (D / 2)));
    return cells(grid, (y, x) => [...freqs.map((f) => x * f), ...freqs.map((f) => y * f)]);
  },

  // diffusers models/transformers/transformer_flux2.py, axes_dims_rope (32, 32, 32, 32)
  flux2([t, h, w, l = 1]) {
    const freqs = list(16, (k) => 1 / 2000 ** ((2 * k) / 32));
    return cells([t, h, w], (...cell) =>
      list(l, (last) => last).flatMap((last) =>
        [...cell, last].flatMap((id) => freqs.map((f) => id * f)),
      ),
    );
  },

  // transformer_wan.py, attention_head_dim 128: h_dim = w_dim = 2 (128 // 6)
  wan(grid) {
    const dims = [128 - 2 * 42, 42, 42];
    return cells(grid, (...cell) =>
      dims.flatMap((dim, axis) =>
        list(dim / 2, (k) => cell[axis] * (1 / 10000 ** ((2 * k) / dim))),
      ),
    );
  },

  // transformer_hunyuan_video.py, rope_axes_dim (16, 56, 56), rope_theta 256
  "hunyuan-video"(grid) {
    const dims = [16, 56, 56];
    return cells(grid, (...cell) =>
      dims.flatMap((dim, axis) => list(dim / 2, (k) => cell[axis] * (1 / 256 ** ((2 * k) / dim)))),
    );
  },

  // transformer_qwenimage.py, scale_rope: rows -(h - h // 2) .. h // 2 - 1, columns likewise
  "qwen-image"([t, h, w]) {
    const dims = [16, 56, 56];
    return cells([t, h, w], (frame, y, x) => {
      const ids = [frame, y - (h - Math.floor(h / 2)), x - (w - Math.floor(w / 2))];
      return dims.flatMap((dim, axis) =>
        list(dim / 2, (k) => ids[axis] * (1 / 10000 ** ((2 * k) / dim))),
      );
    });
  },

  // transformer_z_image.py, axes_dims [32, 48, 48], rope_theta 256
  "z-image"(grid) {
    const dims = [32, 48, 48];
    return cells(grid, (...cell) =>
      dims.flatMap((dim, axis) => list(dim / 2, (k) => cell[axis] * (1 / 256 ** ((2 * k) / dim)))),
    );
  },

  // transformer_kandinsky.py, axes_dims (16, 24, 24): exp(-log(10000) k / n)
  kandinsky5(grid) {
    const halves = [8, 12, 12];
    return cells(grid, (...cell) =>
      halves.flatMap((n, axis) => list(n, (k) => cell[axis] * Math.exp((-Math.log(1e4) * k) / n))),
    );
  },

  // transformer_lumina2.py, axes_dim_rope (32, 32, 32)
  lumina2(grid) {
    return cells(grid, (...cell) =>
      cell.flatMap((id) => list(16, (k) => id * (1 / 10000 ** ((2 * k) / 32)))),
    );
  },

  // transformer_cosmos.py, hidden_size 128, rope_scale (2, 1, 1), images
  cosmos(grid) {
    const dims = [128 - 2 * 42, 42, 42];
    return cells(grid, (...cell) =>
      dims.flatMap((dim, axis) => {
        const theta = 10000 * [2, 1, 1][axis] ** (dim / (dim - 2));
        return list(dim / 2, (k) => cell[axis] * (1 / theta ** ((2 * k) / dim)));
      }),
    );
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
