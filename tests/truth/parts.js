/**
 * The names, numbers and bytes of a result, in order, each with its type: what two builds or engines must agree in.
 * The names of classes do not count, since each build has its own. NaN as a number has no payload that a program
 * could see.
 *
 * @param {unknown} value
 * @param {(part: string | Uint8Array) => void} add
 */
export function partsOf(value, add) {
  if (ArrayBuffer.isView(value)) {
    const kind = value.constructor.name.replace("Float16Array", "Uint16Array"); // bits where there is none
    add(`${kind} ${value.byteLength}\0`);
    add(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (typeof value === "number" && value === value) {
    add("number\0");
    add(new Uint8Array(Float64Array.of(value).buffer));
  } else if (typeof value === "object" && value !== null) {
    const members = Object.entries(value);
    add(`${Array.isArray(value) ? "array" : "object"} ${members.length}\0`);
    for (const [name, member] of members) {
      add(`${name}\0`);
      partsOf(member, add);
    }
  } else add(`${typeof value} ${String(value)}\0`);
}
