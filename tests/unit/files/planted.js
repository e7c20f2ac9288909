// A model's embedding layers in the form of GPT-2's, as a safetensors file of any size that is made
// where it is read: no byte of it lies on a disk. What is in it is known by a rule.
//
// Tokens come in groups of eight neighbors: token 8g + k is member k of group g. With C = dim - 8,
//
//   row(8g + k) = [c_0(g) ... c_{C-1}(g)   0 ... t_k ... 0] / 8,   t_k = 2 (k + 1) in column C + k
//
// where c(g) is the group's own direction, +1 or -1 in each column by a hash. From this follows:
//
// * neighbors: two members i, j of a group have the cosine C / sqrt((C + t_i^2) (C + t_j^2)),
//   0.99 to 0.79 for dim 768; tokens of two groups stay below 0.45. So the seven nearest of
//   a token are the other members of its group, the lowest first.
// * analogies: row(8a + i) - row(8a + j) + row(8b + j) is row(8b + i) to the bit.
// * norms: sqrt(C + t_k^2) / 8, from 3.45 to 4.0 for dim 768.
// * a duplicate: token 40,001 has the row of token 40,000.
// * never trained: tokens 50,000 to 50,003 have their rows times 2^-6, so norms below 0.06.
// * positions: the paper's sinusoids over 8, so their cosines depend on the distance alone.
//
// Every number but the sinusoids is exact in float16 too.

import { createHash } from "node:crypto";

const MEMBERS = 8;
const DUPLICATE = { id: 40_001, of: 40_000 };
const UNTRAINED = Object.freeze([50_000, 50_001, 50_002, 50_003]);

/**
 * @param {object} [options]
 * @param {number} [options.vocabulary]  GPT-2's by default
 * @param {number} [options.dim] @param {number} [options.positions]  0 leaves the table out
 */
export function planted({ vocabulary = 50_257, dim = 768, positions = 1024 } = {}) {
  const rowBytes = 4 * dim;
  const tables = [
    { name: "wte.weight", rows: vocabulary, fill: token },
    { name: "wpe.weight", rows: positions, fill: position },
  ].filter(({ rows }) => rows > 0);
  let at = 0;
  const entries = tables.map(({ name, rows }) => {
    const data_offsets = [at, (at += rows * rowBytes)];
    return [name, { dtype: "F32", shape: [rows, dim], data_offsets }];
  });
  const json = JSON.stringify({ __metadata__: { format: "pt" }, ...Object.fromEntries(entries) });
  const text = json.padEnd(8 * Math.ceil(json.length / 8));
  const header = Buffer.concat([Buffer.alloc(8), Buffer.from(text)]);
  header.writeBigUInt64LE(BigInt(text.length));

  /** @param {number} id */
  const planOf = (id) => {
    const like = id === DUPLICATE.id ? DUPLICATE.of : id;
    const member = like % MEMBERS;
    return { group: Math.floor(like / MEMBERS), member, t: 2 * (member + 1) };
  };

  /** @param {Float32Array} row @param {number} id */
  function token(row, id) {
    const { group, member, t } = planOf(id);
    const scale = UNTRAINED.includes(id) ? 2 ** -9 : 2 ** -3;
    const C = dim - MEMBERS;
    for (let column = 0, bits = 0; column < C; ++column, bits >>>= 1) {
      if (column % 32 === 0) bits = hash(group, column);
      row[column] = bits & 1 ? scale : -scale;
    }
    row.fill(0, C);
    row[C + member] = t * scale;
  }

  /** @param {Float32Array} row @param {number} i */
  function position(row, i) {
    for (let pair = 0; 2 * pair < dim; ++pair) {
      const angle = i * 10_000 ** ((-2 * pair) / dim);
      row[2 * pair] = Math.sin(angle) / 8;
      row[2 * pair + 1] = Math.cos(angle) / 8;
    }
  }

  /** The bytes begin to end - 1 of the file. @param {number} begin @param {number} end */
  function bytes(begin, end) {
    const made = new Uint8Array(end - begin);
    /** @param {Uint8Array} piece @param {number} from  where it lies in the file */
    const put = (piece, from) => {
      const first = Math.max(begin, from);
      const last = Math.min(end, from + piece.length);
      if (first < last) made.set(piece.subarray(first - from, last - from), first - begin);
    };
    put(header, 0);
    const row = new Float32Array(dim);
    const rowAsBytes = new Uint8Array(row.buffer);
    let tableAt = header.length;
    for (const { rows, fill } of tables) {
      const first = Math.max(0, Math.floor((begin - tableAt) / rowBytes));
      const last = Math.min(rows, Math.ceil((end - tableAt) / rowBytes));
      for (let i = first; i < last; ++i) {
        fill(row, i);
        put(rowAsBytes, tableAt + i * rowBytes);
      }
      tableAt += rows * rowBytes;
    }
    return made;
  }

  return {
    size: header.length + at,
    bytes,
    /** Strong: of the same rule and sizes, the same bytes. */
    etag: `"${createHash("sha256").update(text).digest("hex")}"`,
    /** A token's row. @param {number} id */
    row(id) {
      const row = new Float32Array(dim);
      token(row, id);
      return row;
    },
    /** A position's row. @param {number} i */
    position(i) {
      const row = new Float32Array(dim);
      position(row, i);
      return row;
    },
    /** The other members of a token's group, the nearest by cosine first. @param {number} id */
    neighbors(id) {
      const C = dim - MEMBERS;
      const own = planOf(id);
      const first = own.group * MEMBERS;
      return Array.from({ length: Math.min(MEMBERS, vocabulary - first) }, (_, k) => first + k)
        .filter((other) => other !== id)
        .map((other) => {
          const { member, t } = planOf(other);
          const dot = C + (member === own.member ? t * own.t : 0);
          return { id: other, cosine: dot / Math.sqrt((C + own.t ** 2) * (C + t ** 2)) };
        })
        .sort((a, b) => b.cosine - a.cosine || a.id - b.id);
    },
    duplicate: DUPLICATE,
    untrained: UNTRAINED,
    /** The config.json beside it. */
    config: {
      model_type: "gpt2",
      architectures: ["GPT2LMHeadModel"],
      vocab_size: vocabulary,
      n_embd: dim,
      n_positions: positions,
      n_ctx: positions,
      n_head: 12,
      n_layer: 12,
    },
  };
}

/** 32 bits of two numbers: the finaliser of MurmurHash3. @param {number} a @param {number} b */
function hash(a, b) {
  let h = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
