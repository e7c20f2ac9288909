/**
 * Converts values between a program and its worker to nodes that a message can carry. A primitive value is its node;
 * any other value is a list of its kind and its content. Each object has one node, so identity is preserved.
 */
import { kindOf } from "../runtime/arrays.js";
import { isObject } from "../runtime/check.js";

/** @typedef {any} Node */

/** The properties that are sent of an array with a shape, of any class (asArray in runtime/input.js). */
const FIELDS = ["data", "shape", "dims", "dtype", "type", "stride", "strides", "offset"];

/**
 * @param {unknown} value
 * @param {object} kinds  packs what depends on the direction
 * @param {(array: ArrayBufferView) => Node} kinds.array
 * @param {(owner: object, members: () => [string, Node][]) => Node | undefined} kinds.remote  packs
 *   what stays in its thread: a function or an object with functions; returns undefined for other objects
 * @returns {Node}
 */
export function pack(value, { array, remote }) {
  /** @type {Map<object, Node>} */
  const seen = new Map();
  let depth = 0;

  /** @param {any} value @returns {Node} */
  const walk = (value) => {
    if (typeof value !== "function" && (typeof value !== "object" || value === null)) return value;
    const known = seen.get(value);
    if (known === OPEN) throw new RangeError("arguments must not contain themselves; got a circle");
    if (known !== undefined) return known;
    if (typeof value === "object" && !isObject(value)) {
      throw new TypeError("arguments must be data; got a revoked proxy");
    }
    if (depth === DEEPEST) {
      throw new RangeError(`arguments must be nested at most ${DEEPEST} deep; got more`);
    }
    ++depth;
    seen.set(value, OPEN);
    const node = content(value);
    seen.set(value, node);
    --depth;
    return node;
  };

  /** @param {any} value @returns {Node} */
  const content = (value) => {
    if (kindOf(value).endsWith("Array")) return array(value);
    if (Array.isArray(value)) return ["list", items(value)];
    if ("data" in value && ("shape" in value || "dims" in value)) {
      const there = FIELDS.filter((name) => name in value);
      return ["tensor", there.map((name) => [name, walk(value[name])])];
    }
    /** @returns {[string, Node][]} */
    const members = () =>
      namesOf(value).map((name) => {
        const member = value[name];
        return [name, isMethod(member) ? ["method", member.name] : walk(member)];
      });
    const isPlain = Object.prototype.toString.call(value) === "[object Object]";
    return remote(value, members) ?? (isPlain ? ["object", members()] : ["other", value]);
  };

  /** @param {any[]} list  may have 2^32 - 1 holes */
  const items = (list) => {
    const nodes = [];
    for (let i = 0, { length } = list; i < length; ++i) {
      const item = list[i];
      if (item === undefined && !(i in list)) {
        throw new RangeError(`arguments must have no holes; got one at ${i} of ${length}`);
      }
      nodes.push(walk(item));
    }
    return nodes;
  };

  return walk(value);
}

/**
 * The names of an object's own members, and of those that a class or another object gives it: functions read these, too.
 * @param {object} value
 */
export function namesOf(value) {
  const names = new Set(Object.keys(value));
  if (typeof value === "function") return [...names];
  const isLast = (/** @type {object | null} */ one) =>
    one === null || Object.getPrototypeOf(one) === null;
  for (let from = Object.getPrototypeOf(value); !isLast(from); from = Object.getPrototypeOf(from)) {
    for (const [name, { value: held }] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
      if (typeof held !== "function") names.add(name);
    }
  }
  return [...names];
}

/** Stands for an object until its node is complete. @type {Node} */
const OPEN = [];

/** Levels of a value: more than any tensor has axes. */
const DEEPEST = 64;

/** Whether a member is a method of its object: a function without properties. @param {unknown} member */
function isMethod(member) {
  return typeof member === "function" && Object.keys(member).length === 0;
}

/**
 * @param {Node} packed
 * @param {object} kinds  unpacks what depends on the direction
 * @param {(node: Node) => unknown} kinds.array
 * @param {(fields: any) => unknown} kinds.tensor
 * @param {(node: Node, walk: (node: Node) => unknown) => unknown} kinds.remote
 * @returns {any}
 */
export function unpack(packed, { array, tensor, remote }) {
  /** @type {Map<Node, unknown>} */
  const seen = new Map();

  /** @param {Node} node @returns {unknown} */
  const walk = (node) => {
    if (!Array.isArray(node)) return node;
    if (!seen.has(node)) seen.set(node, content(node));
    return seen.get(node);
  };

  /** @param {Node} node @returns {unknown} */
  const content = (node) => {
    const [kind, held] = node;
    const members = () =>
      Object.fromEntries(
        held.map((/** @type {[string, Node]} */ [name, member]) => [name, walk(member)]),
      );
    if (kind === "list") return held.map(walk);
    if (kind === "object") return members();
    if (kind === "tensor") return tensor(members());
    if (kind === "remote") return remote(node, walk);
    return kind === "other" ? held : array(node);
  };

  return walk(packed);
}

/**
 * Copies an array into separate memory.
 * @param {ArrayBufferView} array
 * @returns {ArrayBufferView<ArrayBuffer>}
 */
export function copyOf(array) {
  return new /** @type {any} */ (globalThis)[kindOf(array)](array);
}
