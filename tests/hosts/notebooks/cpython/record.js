// Calls as data, for other languages: what was called with which arguments, and what came.

import { isDeepStrictEqual } from "node:util";
import { Tensor } from "../../../phasor.js";

/**
 * @typedef {object} Call
 * @property {string} path  "rope.table"; "embedding.create().lookup" of an object
 * @property {number} [of]  the call that gave the object
 * @property {any[]} args
 * @property {any} result
 */

/**
 * The modules of a phasor, and the list in which every call of theirs is written.
 * @param {Record<string, any>} phasor
 */
export function recording(phasor) {
  /** @type {Call[]} */
  const calls = [];
  /** Which call gave an object with methods. @type {Map<any, number>} */
  const given = new Map();
  /** The objects behind those that callers have. @type {Map<any, any>} */
  const behind = new Map();

  /** @param {any} value @returns {any} */
  const real = (value) => {
    if (behind.has(value)) return behind.get(value);
    if (Array.isArray(value)) return value.map(real);
    if (value?.constructor !== Object) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, real(each)]));
  };

  /** @param {any} value @returns {any} */
  const told = (value) => {
    if (value === undefined || value === null) return null;
    if (typeof value === "number" && !Number.isFinite(value)) return { $: "number", text: String(value) }; // prettier-ignore
    if (typeof value === "bigint") return { $: "bigint", text: String(value) };
    if (typeof value !== "object") return value;
    if (given.has(value)) return { $: "of", call: given.get(value) };
    if (value instanceof Tensor) {
      return { ...told(value.data), shape: [...value.shape], dtype: value.dtype };
    }
    if (ArrayBuffer.isView(value)) {
      const { buffer, byteOffset, byteLength, constructor } = value;
      const text = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
      return { $: "array", kind: constructor.name, text };
    }
    if (Array.isArray(value)) return value.map(told);
    const entries = Object.entries(value).filter(([, each]) => typeof each !== "function");
    return { $: "dict", entries: entries.map(([key, each]) => [key, told(each)]) };
  };

  /** @param {any} from @param {string} path @param {number} [of] @param {any} [to] */
  const copied = (from, path, of, to = {}) => {
    for (const [name, value] of Object.entries(from)) {
      const isCall = typeof value === "function";
      to[name] = isCall ? recorded(value.bind(from), value, `${path}.${name}`, of) : value;
    }
    return to;
  };

  /** @param {Function} call @param {any} members @param {string} path @param {number} [of] */
  const recorded = (call, members, path, of) => {
    const made = (/** @type {any[]} */ ...args) => {
      const values = args.map(real);
      const written = values.map(told); // before the call, which may write into them
      const result = call(...values);
      if (!isDeepStrictEqual(values.map(told), written)) return result; // Python's arrays are not filled
      const at = calls.push({ path, of, args: written, result: undefined }) - 1;
      const isObject = result?.constructor === Object || typeof result?.dispose === "function";
      const hasMethods = isObject && Object.values(result).some((each) => typeof each === "function"); // prettier-ignore
      calls[at].result = told(result);
      if (!hasMethods) return result;
      given.set(result, at);
      const shown = copied(result, `${path}()`, at);
      behind.set(shown, result);
      return shown;
    };
    return copied(members, path, of, made);
  };

  const modules = Object.entries(phasor).map(([name, module]) => [
    name,
    typeof module === "function" ? recorded(module, module, name) : copied(module, name),
  ]);
  return { phasor: Object.fromEntries(modules), calls };
}
