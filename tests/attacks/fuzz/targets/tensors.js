/** Files of tensors: safetensors, its index, GGUF, .npy and .npz. */
import assert from "node:assert/strict";
import { unzipSync, zipSync } from "fflate";
import { gguf, npy, npz, safetensors } from "../../../../src/files/index.js";
import { TYPES } from "../../../../src/files/gguf/types.js";
import { parsed } from "../../../../src/runtime/json.js";
import { joined, mutated, mutatedText, NAMES, overwritten } from "../mutate.js";
import { digest, refusesBy, tensorsOf } from "./laws.js";

/** @import { Random } from "../random.js" */
/** @import { Target } from "./laws.js" */

const encoder = new TextEncoder();
const utf8 = (/** @type {string} */ text) => encoder.encode(text);

/** @param {number | bigint} value @param {2 | 4 | 8} size */
const little = (value, size) => overwritten(new Uint8Array(size), 0, size, BigInt(value));

/** Names that differ. @param {Random} random @param {number} count */
function names(random, count) {
  const all = Array.from({ length: count }, (_, i) =>
    random.happens(0.2) ? random.pick(NAMES) : random.pick([`w${i}`, `a.b.${i}`, `é${i}`]),
  );
  return [...new Set(all)].filter((name) => !/__metadata__|\0|^$|\.\.|\//.test(name));
}

/** @type {Record<string, readonly [dtype: string, bytes: number]>} */
const SAFE_DTYPES = {
  F32: ["float32", 4],
  F16: ["float16", 2],
  BF16: ["bfloat16", 2],
  F64: ["float64", 8],
  I64: ["int64", 8],
  I32: ["int32", 4],
  I8: ["int8", 1],
  U8: ["uint8", 1],
  BOOL: ["bool", 1],
  U16: ["uint16", 2],
  U64: ["uint64", 8],
  C64: ["complex64", 8],
  F8_E4M3: ["float8_e4m3fn", 1],
};

/** @param {Random} random */
const someShape = (random) => random.list(0, 4, () => random.pick([0, 1, 1, 2, 3, 5]));

/** @param {readonly number[]} shape */
const product = (shape) => shape.reduce((product, n) => product * n, 1);

/** @type {Target} */
const safetensorsTarget = {
  name: "safetensors",
  python: "safetensors",
  isRefusal: refusesBy(/^SAFETENSORS_[A-Z0-9_]+$/),
  make(random) {
    /** @type {Uint8Array[]} */
    const data = [];
    let at = 0;
    const expected = [];
    /** @type {[string, unknown][]} */
    const header = [];
    for (const name of names(random, random.between(0, 5))) {
      const fileDtype = random.pick(Object.keys(SAFE_DTYPES));
      const [dtype, size] = SAFE_DTYPES[fileDtype];
      const shape = someShape(random);
      const length = product(shape) * size;
      const bytes = dtype === "bool" ? new Uint8Array(length) : random.bytes(length);
      data.push(bytes);
      header.push([name, { dtype: fileDtype, shape, data_offsets: [at, (at += length)] }]);
      expected.push({ name, dtype, shape, digest: digest(bytes) });
    }
    if (random.happens(0.3)) header.unshift(["__metadata__", { format: "pt", é: "x" }]);
    const pairs = header.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    let text = `{${pairs.join(",")}}`;
    const isChanged = random.happens(0.9);
    if (isChanged && random.happens(0.7)) text = mutatedText(random, text);
    if (random.happens(0.5)) text = text.padEnd(Math.ceil(text.length / 8) * 8);
    const bytes = utf8(text);
    let file = joined(little(bytes.length, 8), bytes, ...data);
    if (isChanged && random.happens(0.5)) file = mutated(random, file);
    return { input: file, expected: isChanged ? undefined : { tensors: expected } };
  },
  async read(input) {
    const file = await safetensors.read(input);
    const notes = [...file.metadata].sort(([a], [b]) => (a < b ? -1 : 1));
    return { tensors: await tensorsOf(file, input.length), metadata: notes };
  },
  consistent(input, { tensors }) {
    const length = Number(new DataView(input.buffer).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(input.subarray(8, 8 + length)));
    const listed = Object.entries(header).filter(([name]) => name !== "__metadata__");
    assert.equal(tensors.length, listed.length, "as many tensors as the header has");
    for (const { name, shape, digest: found } of tensors) {
      const { shape: said, data_offsets } = Object.hasOwn(header, name) ? header[name] : {};
      const [from, to] = data_offsets.map((/** @type {number} */ at) => at + 8 + length);
      assert.deepEqual([shape, found], [said, digest(input.subarray(from, to))], name);
    }
  },
};

/** @type {Target} */
const shardedTarget = {
  name: "sharded",
  python: "json",
  isRefusal: refusesBy(/^(SAFETENSORS|FILE)_[A-Z0-9_]+$/),
  make(random) {
    const shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
    const places = names(random, random.between(1, 6)).map((name) => [name, random.pick(shards)]);
    const map = places.map((pair) => pair.map((text) => JSON.stringify(text)).join(": "));
    const more = random.pick(["", '"x": [{}, {"y": [1, "z"]}],\n', '"b": {"c": {"d": null}}, ']);
    const text = `{"metadata": {"total_size": 12}, ${more}"weight_map": {${map.join(", ")}}}\n`;
    const isChanged = random.happens(0.9);
    let input = utf8(isChanged ? mutatedText(random, text) : text);
    if (isChanged && random.happens(0.2)) input = mutated(random, input);
    return { input, expected: isChanged ? undefined : { entries: places } };
  },
  async read(input) {
    const file = await safetensors.sharded(input, () => safetensors.write({ other: [1] }));
    for (const name of file.names.slice(0, 2)) {
      await assert.rejects(file.tensor(name), { code: "SAFETENSORS_INDEX" });
    }
    return { entries: file.names.map((name) => [name, file.shard(name)]) };
  },
  consistent(input, { entries }) {
    const { weight_map } = parsed(new TextDecoder().decode(input), Infinity);
    assert.equal(Object.keys(weight_map).length, entries.length);
    for (const [name, shard] of entries) {
      assert.equal(Object.getOwnPropertyDescriptor(weight_map, name)?.value, shard);
    }
  },
};

/** @param {string} text */
const ggufText = (text) => joined(little(utf8(text).length, 8), utf8(text));

/** Types of metadata that hold one number, with its bytes. */
const GGUF_SIZES = Object.freeze(
  /** @type {const} */ ([
    ...[[0, 1], [1, 1], [2, 2], [3, 2], [4, 4], [5, 4], [6, 4], [7, 1], [10, 8], [11, 8], [12, 8]], // prettier-ignore
  ]),
);

/** A value with its type. @param {Random} random @param {number} levels @returns {[number, Uint8Array]} */
function ggufValue(random, levels) {
  const kind = random.below(levels > 0 ? 4 : 3);
  if (kind < 2) {
    const [type, size] = random.pick(GGUF_SIZES);
    return [type, type === 7 ? Uint8Array.of(random.below(2)) : random.bytes(size)];
  }
  if (kind === 2) return [8, ggufText(random.pick(NAMES))];
  const count = random.between(0, 6);
  const items = Array.from({ length: count }, () => ggufValue(random, levels - 1));
  const [type, size] = random.pick(GGUF_SIZES);
  if (random.happens(0.3)) {
    const strings = items.map(() => ggufText(random.pick(NAMES)));
    return [9, joined(little(8, 4), little(count, 8), ...strings)];
  }
  if (random.happens(0.3)) {
    const arrays = items.filter(([type]) => type === 9).map(([, bytes]) => bytes);
    return [9, joined(little(9, 4), little(arrays.length, 8), ...arrays)];
  }
  const bytes = type === 7 ? new Uint8Array(count) : random.bytes(count * size);
  return [9, joined(little(type, 4), little(count, 8), bytes)];
}

/** @type {Target} */
const ggufTarget = {
  name: "gguf",
  python: "gguf",
  isRefusal: refusesBy(/^GGUF_[A-Z0-9_]+$/),
  make(random) {
    const alignment = random.pick([32, 32, 8, 64]);
    const keys = [
      ...new Set(random.list(0, 5, () => random.pick([...NAMES, "llama.block_count"]))),
    ];
    const pairs = keys.map((key) => {
      const [type, value] = ggufValue(random, 2);
      return joined(ggufText(key), little(type, 4), value);
    });
    if (alignment !== 32) {
      pairs.push(joined(ggufText("general.alignment"), little(4, 4), little(alignment, 4)));
    }
    /** @type {Uint8Array[]} */
    const data = [];
    let at = 0;
    const expected = [];
    const heads = [];
    for (const name of names(random, random.between(0, 4))) {
      const [number, type] = random.pick([...TYPES]);
      const shape = random.list(1, 3, () => random.pick([1, 2, 3]));
      shape[shape.length - 1] *= type.block;
      const length = (product(shape) / type.block) * type.bytes;
      const sizes = [...shape].reverse().map((size) => little(size, 8));
      const place = [little(number, 4), little(at, 8)];
      heads.push(joined(ggufText(name), little(shape.length, 4), ...sizes, ...place));
      const bytes = random.bytes(length);
      const whole = Math.ceil(length / alignment) * alignment;
      data.push(joined(bytes, new Uint8Array(whole - length)));
      at += whole;
      expected.push({ name, dtype: type.dtype, shape, digest: digest(bytes) });
    }
    const counts = joined(little(heads.length, 8), little(pairs.length, 8));
    const head = joined(
      utf8("GGUF"),
      little(random.pick([2, 3, 3]), 4),
      counts,
      ...pairs,
      ...heads,
    );
    const gap = new Uint8Array(Math.ceil(head.length / alignment) * alignment - head.length);
    const file = joined(head, gap, ...data);
    const isChanged = random.happens(0.9);
    return {
      input: isChanged ? mutated(random, file) : file,
      expected: isChanged ? undefined : { tensors: expected, keys: [...keys] },
    };
  },
  async read(input) {
    const file = await gguf.read(input);
    const keys = [...file.metadata.keys()].filter((key) => key !== "general.alignment");
    return { tensors: await tensorsOf(file, input.length), keys };
  },
  consistent(input, { tensors, keys }) {
    const text = Buffer.from(input);
    for (const name of [...keys, ...tensors.map((/** @type {any} */ tensor) => tensor.name)]) {
      assert.ok(text.includes(Buffer.from(ggufText(name))), `${name} is in the file`);
    }
  },
};

/** @type {Record<string, readonly [dtype: string, bytes: number]>} */
const NPY_DTYPES = {
  f4: ["float32", 4],
  f2: ["float16", 2],
  f8: ["float64", 8],
  i8: ["int64", 8],
  i4: ["int32", 4],
  i2: ["int16", 2],
  u2: ["uint16", 2],
  u4: ["uint32", 4],
  u8: ["uint64", 8],
  i1: ["int8", 1],
  u1: ["uint8", 1],
};

/** A .npy, perhaps changed. @param {Random} random @param {boolean} isChanged */
function npyFile(random, isChanged) {
  const code = random.pick(Object.keys(NPY_DTYPES));
  const [dtype, size] = NPY_DTYPES[code];
  const shape = someShape(random);
  const isFortran = random.happens(0.3);
  const order = size === 1 ? "|" : random.pick(["<", "<", ">", "="]);
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const fortran = isFortran ? "True" : "False";
  let text = `{'descr': '${order}${code}', 'fortran_order': ${fortran}, 'shape': (${tuple}), }`;
  if (isChanged && random.happens(0.7)) text = mutatedText(random, text);
  if (random.happens(0.9)) text = `${text.padEnd(random.pick([53, 117, 118]))}\n`;
  const data = random.bytes(product(shape) * size);
  const major = random.pick([1, 1, 2, 3]);
  const bytes = utf8(text);
  const length = little(bytes.length, major === 1 ? 2 : 4);
  let file = joined([0x93], utf8("NUMPY"), [major, 0], length, bytes, data);
  if (isChanged && random.happens(0.4)) file = mutated(random, file);
  const isPlain = !isFortran && order !== ">" && text.endsWith("\n");
  return { file, content: isPlain && { dtype, shape, digest: digest(data) } };
}

/** @type {Target} */
const npyTarget = {
  name: "npy",
  python: "npy",
  isRefusal: refusesBy(/^NPY_[A-Z0-9_]+$/),
  make(random) {
    const isChanged = random.happens(0.85);
    const { file, content } = npyFile(random, isChanged);
    return { input: file, expected: isChanged || !content ? undefined : content };
  },
  async read(input) {
    const { bytes, dtype, shape } = await npy.stored(input);
    const { data } = await npy.read(input, { dtype: "float32" });
    assert.equal(data.length, product(shape));
    assert.equal((await npy.read(input)).size, product(shape));
    return { dtype, shape: [...shape], digest: digest(bytes) };
  },
  consistent(input, { shape }) {
    const text = Buffer.from(input).toString("latin1");
    assert.ok(text.startsWith("\x93NUMPY"));
    const said = /(["'])shape\1\s*:\s*\(([^)]*)\)/.exec(text)?.[2] ?? "?";
    assert.deepEqual((said.match(/\d+|\?/g) ?? []).map(Number), shape);
  },
};

/** @type {Target} */
const npzTarget = {
  name: "npz",
  python: "npz",
  isRefusal: refusesBy(/^NP[YZ]_[A-Z0-9_]+$/),
  make(random) {
    const isChanged = random.happens(0.9);
    /** @type {Record<string, Uint8Array>} */
    const members = Object.create(null);
    const expected = [];
    for (const name of names(random, random.between(0, 4))) {
      const { file, content } = npyFile(random, isChanged && random.happens(0.2));
      members[`${name}.npy`] = file;
      expected.push(content && { name, ...content });
    }
    if (random.happens(0.2)) members["notes.txt"] = utf8("x");
    let file = Uint8Array.from(zipSync(members, { level: random.pick([0, 6]) }));
    if (isChanged) {
      file = random.happens(0.5) ? recordsChanged(random, file) : mutated(random, file);
    }
    const isKnown = !isChanged && expected.every(Boolean);
    return { input: file, expected: isKnown ? { tensors: expected } : undefined };
  },
  async read(input) {
    return { tensors: await tensorsOf(await npz.read(input), input.length) };
  },
  consistent(input, { tensors }) {
    const files = unzipSync(input, { filter: ({ name }) => name.endsWith(".npy") });
    for (const { name, digest: found } of tensors) {
      const member = files[`${name}.npy`];
      assert.ok(member, `fflate has ${name}`);
      const view = new DataView(member.buffer, member.byteOffset);
      const dataAt = member[6] === 1 ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true);
      const text = Buffer.from(member.subarray(0, dataAt)).toString("latin1");
      const isPlain = /'descr' *: *'[<|=]/.test(text) && /'fortran_order' *: *False/.test(text);
      if (isPlain) assert.equal(digest(member.subarray(dataAt)), found, name);
    }
  },
};

/** Fields of the records of a ZIP archive: their offset and size, by the record's signature. */
const FIELDS = Object.freeze({
  0x04034b50: [[4, 2], [6, 2], [8, 2], [14, 4], [18, 4], [22, 4], [26, 2], [28, 2]], // prettier-ignore
  0x02014b50: [[6, 2], [8, 2], [10, 2], [16, 4], [20, 4], [24, 4], [28, 2], [30, 2], [32, 2], [34, 2], [42, 4]], // prettier-ignore
  0x06054b50: [[4, 2], [6, 2], [8, 2], [10, 2], [12, 4], [16, 4], [20, 2]], // prettier-ignore
});

/** Changes fields of records. @param {Random} random @param {Uint8Array<ArrayBuffer>} file */
function recordsChanged(random, file) {
  const view = new DataView(file.buffer);
  /** @type {[at: number, size: number][]} */
  const fields = [];
  for (let at = 0; at + 22 <= file.length; ++at) {
    const kind = /** @type {keyof typeof FIELDS} */ (view.getUint32(at, true));
    for (const [offset, size] of FIELDS[kind] ?? []) fields.push([at + offset, size]);
  }
  for (let n = random.between(1, 3); n > 0; --n) {
    const [at, size] = random.pick(fields);
    const old = size === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
    const value = random.happens(0.5) ? old + random.between(-2, 2) : Math.round(random.edge());
    overwritten(file, at, size, BigInt(value));
  }
  return file;
}

/** @type {readonly Target[]} */
export const tensorTargets = [safetensorsTarget, shardedTarget, ggufTarget, npyTarget, npzTarget];
