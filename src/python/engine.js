/**
 * What Python calls in V8: the modules of the package, and the wire of a call. A call and its result are JSON, in which
 * arrays are places: their bytes cross as they are. Python's side is engine.py of the wheel.
 */
import { checkPort } from "../cli/check.js";
import { portOf } from "../cli/port.js";
import { load } from "../index.js";
import { load as loadLab } from "../lab/index.js";
import { models } from "../models/index.js";
import { identify } from "../oracle/index.js";
import { xray } from "../oracle/xray/index.js";
import { figures } from "../plots/index.js";
import { drawn } from "../widget/drawing.js";

// What the package asks for by name, and V8 alone lacks. No value is of one of these classes.
const host = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (globalThis));
for (const name of ["URL", "Response", "Request", "AbortSignal"]) host[name] ??= class {};
host.btoa ??= base64;
host.structuredClone ??= copied;
host.TextEncoder ??= class {
  encode = utf8;
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** @param {string} bytes  a letter for each @see RFC 4648, section 4 */
function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => bytes.charCodeAt(i + k) || 0);
    const sextets = [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63];
    text += sextets.map((sextet, k) => (i + k > bytes.length ? "=" : LETTERS[sextet])).join("");
  }
  return text;
}

/** @param {string} text */
function utf8(text) {
  const letters = encodeURIComponent(text).match(/%..|./g) ?? [];
  return Uint8Array.from(letters, (letter) =>
    letter.length === 3 ? parseInt(letter.slice(1), 16) : letter.charCodeAt(0),
  );
}

/** A copy of plain data. @param {any} value @returns {any} */
function copied(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each)]));
}

/** @import { Phasor } from "../index.js" */

/** Bytes of arrays that cross with their call. Larger ones have a separate buffer, which costs a call more. */
const SMALL = 1 << 16;

/** The bytes of small arrays, both ways. */
const small = new ArrayBuffer(SMALL);

/** The bytes of the next call's arrays, if they are many. @type {ArrayBuffer | undefined} */
let large;

/** Large arrays of the last result. @type {ArrayBufferView[]} */
let results = [];

/** What Python holds, by number: functions, and objects that have some. @type {Map<number, any>} */
const held = new Map();
let count = 0;

/** What the promise of the last call became. @type {string | undefined} */
let settled;

/** @type {Readonly<Record<string, any>>} */
const KINDS = {
  f: Float32Array,
  d: Float64Array,
  b: Int8Array,
  B: Uint8Array,
  h: Int16Array,
  H: Uint16Array,
  i: Int32Array,
  I: Uint32Array,
  q: BigInt64Array,
  Q: BigUint64Array,
};

/** A value of Python's. @param {any} value @returns {any} */
function read(value) {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(read);
  if (typeof value !== "object") return value;
  const [kind, one, length, format] = value.$;
  if (kind === "dict") {
    return Object.fromEntries(one.map((/** @type {[string, any]} */ [key, each]) => [key, read(each)])); // prettier-ignore
  }
  if (kind === "held") return held.get(one);
  if (kind === "number") return Number(one);
  if (kind === "bigint") return BigInt(one);
  const Kind = KINDS[format];
  const data = large ? new Kind(large, one, length) : new Kind(small, one, length).slice();
  // BigInt is allowed for ids only; doubles where they are exact.
  const numbers = "qQ".includes(format) ? Float64Array.from(data, Number) : data;
  return numbers.every === undefined || numbers === data || numbers.every(isSafe) ? numbers : data;
}

const isSafe = (/** @type {number} */ x) => Math.abs(x) <= Number.MAX_SAFE_INTEGER;

/** Keeps what Python holds. @param {unknown} value */
function hold(value) {
  held.set(++count, value);
  return count;
}

/** A value for Python. @param {any} value @param {{used: number}} place @returns {any} */
function written(value, place) {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") {
    const isPlain = Number.isFinite(value) && (!Number.isInteger(value) || isSafe(value));
    return isPlain ? value : { $: ["number", String(value)] };
  }
  if (typeof value === "bigint") return { $: ["bigint", String(value)] };
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((each) => written(each, place));
  if (ArrayBuffer.isView(value)) return { $: ["array", ...placed(value, place)] };
  const entries = Object.entries(value).map(([name, each]) => {
    const bound = typeof each === "function" ? Object.assign(each.bind(value), each) : each;
    return [name, written(bound, place)];
  });
  if (typeof value === "function") return { $: ["function", entries, hold(value)] };
  if (Object.prototype.toString.call(value) === "[object Generator]") {
    const next = { $: ["function", [], hold(() => value.next())] };
    return { $: ["Generator", [["next", next]], null] };
  }
  const isHeld = Object.values(value).some((each) => typeof each === "function");
  return { $: ["object", entries, isHeld ? hold(value) : null] };
}

/** Where an array's bytes are: in those that cross, or among the results. @param {any} array @param {{used: number}} place */
function placed(array, place) {
  const format = Object.keys(KINDS).find((each) => array instanceof KINDS[each]);
  const { byteLength } = array;
  if (place.used + byteLength > SMALL) return [format, array.length, -results.push(array)];
  const at = place.used;
  new Uint8Array(small, at).set(new Uint8Array(array.buffer, array.byteOffset, byteLength));
  place.used = Math.ceil((at + byteLength) / 8) * 8;
  return [format, array.length, at];
}

/** @param {any} value */
const answer = (value) => JSON.stringify({ result: written(value, { used: 0 }) });

/** @param {any} error */
const refusal = (error) =>
  JSON.stringify({ error: [String(error?.name), String(error?.message ?? error)] });

/** @param {Promise<unknown>} promise */
function wait(promise) {
  settled = undefined;
  promise.then(answer).catch(refusal).then((text) => (settled = text)); // prettier-ignore
  return "";
}

/** Calls of Python's. Each gives a text: an answer, or none where a promise has yet to settle. */
const wire = {
  small,

  /** A buffer for the arrays of the next call. @param {number} bytes */
  room(bytes) {
    large = new ArrayBuffer(bytes);
    return large;
  },

  /** The bytes of a large array of the last result. @param {number} index */
  take(index) {
    const { buffer, byteOffset, byteLength } = results[index];
    const isWhole = byteLength === buffer.byteLength;
    return isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  },

  /** Forgets what the last call left here. */
  clear() {
    results = [];
  },

  settled: () => settled ?? "",

  /** Starts the core, whose bytes are in the room. */
  start: () =>
    wait(
      loadAll(large).then((phasor) => ({
        phasor: { ...phasor, models, plots: figures() },
        again: (/** @type {any} */ held) => held,
        check: (/** @type {any} */ arrays, /** @type {any} */ config, /** @type {any} */ options) =>
          check(phasor, arrays, config, options),
        identify: (/** @type {any} */ arrays, /** @type {any} */ options) =>
          identify(arrays, { ...options, phasor }),
        xray: (/** @type {any} */ config, /** @type {any} */ options) =>
          xray(config, { ...options, phasor }),
        widget: (/** @type {any} */ traits) => drawn(phasor, traits),
      })),
    ),

  /** Calls a function. @param {string} text  its number, its arguments and the numbers that Python no longer holds */
  call(text) {
    try {
      const [id, given, dropped] = JSON.parse(text);
      for (const each of dropped) held.delete(each);
      results = [];
      const values = given.map(read);
      large = undefined;
      const result = held.get(id)(...values);
      return result instanceof Promise ? wait(result) : answer(result);
    } catch (error) {
      return refusal(error);
    }
  },
};

/** All modules, with those of phasor/lab, which have a core of the same code. @param {any} bytes  of the core */
async function loadAll(bytes) {
  const options = /** @type {any} */ ({ wasm: bytes });
  return { ...(await load(options)), ...(await loadLab(options)) };
}

/**
 * `phasor check` for arrays of Python's.
 * @param {Phasor} phasor @param {Record<string, any>} arrays  { cos, sin } or { q, q_rotated }, each { data, shape }
 * @param {any} config @param {any} options
 */
async function check(phasor, arrays, config, { first = 0, headsAfter = false, layer, length }) {
  const names = /** @type {[string, string]} */ (Object.keys(arrays));
  const isName = typeof config === "string" && !/^\s*\{/.test(config);
  const found = await checkPort(
    {
      name: "the port",
      model: isName ? models.get(/** @type {any} */ (config)) : models.fromConfig(config),
      phasor,
      read: async (isHeadsAfter) =>
        portOf(names, Object.values(arrays), { first, isHeadsAfter, dtype: "float32" }),
    },
    { isHeadsAfter: headsAfter, layer, length },
  );
  return { fits: found.code === 0, words: found.lines.join("\n"), data: found.data };
}

export default wire;
