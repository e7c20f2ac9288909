/** phasor table: the table of a positional scheme. */
import { describe } from "../runtime/check.js";
import { didYouMean } from "../runtime/suggest.js";
import { UsageError, whole } from "./arguments.js";
import { count, sizes } from "./output.js";
import { writeArray, writeArrays } from "./write.js";

/** @import { Tensor } from "../runtime/tensor.js" */
/** @import { Control, Scheme } from "../runtime/schemes.js" */

/** @type {import("./arguments.js").Command} */
export const table = {
  name: "table",
  operands: "SCHEME LENGTH WIDTH",
  least: 0,
  most: 3,
  does: "the table of a scheme, or of a bias: HEADS LENGTH. Alone: the schemes",
  options: {
    set: {
      ...{ type: "string", multiple: true, value: "NAME=VALUE" },
      text: "an option of the scheme, such as base=500000",
    },
    npy: { type: "string", value: "FILE", text: "write the table as .npy" },
    npz: { type: "string", value: "FILE", text: "write cos and sin of a rotation as .npz" },
  },
  async run({ operands, options }) {
    const { load, schemesOf } = await import("../index.js");
    const phasor = await load();
    const schemes = schemesOf(phasor);
    if (operands.length === 0) return list(schemes);
    const scheme = named(schemes, operands[0]);
    const [one, two] = scheme.controls;
    if (operands.length < 3) {
      const rule = `table ${scheme.name} must be called with ${one.name} and ${two.name}`;
      throw new UsageError(`${rule}; got ${operands.length - 1} numbers`);
    }
    const first = whole(operands[1], one.name, 0);
    const second = whole(operands[2], two.name);
    const settings = settingsOf(scheme, options.set ?? []);
    const made = /** @type {any} */ (phasor)[scheme.name][scheme.method](first, second, settings);
    /** @type {Record<string, Tensor>} */
    const tensors = scheme.kind === "rotation" ? { cos: made.cos, sin: made.sin } : { table: made };
    const lines = Object.entries(tensors).flatMap(([name, tensor]) => [
      ...[`${name === "table" ? scheme.name : name} ${sizes(tensor.shape)}`, String(tensor)],
    ]);
    lines.push(...(await write(scheme, tensors, options)));
    const data = Object.fromEntries(
      Object.entries(tensors).map(([name, { shape, data }]) => [
        name,
        { shape, data: Array.from(data) },
      ]),
    );
    return { data: { scheme: scheme.name, options: settings, ...data }, lines };
  },
};

/** @param {Scheme} scheme @param {Record<string, Tensor>} tensors @param {Record<string, any>} options */
async function write({ kind, name }, tensors, { npy, npz }) {
  if (npy !== undefined && kind === "rotation") {
    throw new UsageError(`--npy must get one array; got cos and sin of ${name}: use --npz`);
  }
  return [
    ...(npy !== undefined ? [await writeArray(npy, tensors.table)] : []),
    ...(npz !== undefined ? [await writeArrays(npz, tensors)] : []),
  ];
}

/** @param {Scheme[]} schemes */
function list(schemes) {
  const data = schemes.map(({ name, kind, controls }) => ({
    ...{ name, kind },
    options: controls.slice(2).map(({ name, default: byDefault }) => ({ name, byDefault })),
  }));
  const lines = data.map(({ name, kind, options }) => {
    const settings = options.map(({ name, byDefault }) => `${name}=${byDefault}`).join(" ");
    return `${name} (${kind})${settings && `: ${settings}`}`;
  });
  return { data, lines: [`${count(data.length)} schemes`, ...lines] };
}

/** @param {Scheme[]} schemes @param {string} name */
function named(schemes, name) {
  const found = schemes.find((scheme) => scheme.name === name);
  if (found) return found;
  const names = schemes.map(({ name }) => name);
  const hint = didYouMean(name, names);
  throw new UsageError(`SCHEME must be one of ${names.join(", ")}; got ${describe(name)}${hint}`);
}

/** @param {Scheme} scheme @param {string[]} given @returns {Record<string, unknown>} */
function settingsOf({ name, controls }, given) {
  const known = controls.slice(2);
  const entries = given.map((text) => {
    const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
    const control = known.find((one) => one.name === key);
    if (control !== undefined) return [key, valueOf(control, value)];
    const names = known.map((one) => one.name);
    const hint = key === undefined ? "" : didYouMean(key, names);
    const rule = `--set must be one of ${names.join(", ")}, as NAME=VALUE, for ${name}`;
    throw new UsageError(`${rule}; got ${describe(text)}${hint}`);
  });
  return Object.fromEntries(entries);
}

/** @param {Control} control @param {string} text */
function valueOf({ name, type, values }, text) {
  const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined;
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (type === "choice") return values.includes(text) || number === undefined ? text : number;
  if (type !== "boolean" && number !== undefined) return number;
  const rule = type === "boolean" ? "true or false" : "a number";
  throw new UsageError(`--set ${name} must be ${rule}; got ${describe(text)}`);
}
