import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { allocate } from "../bytes.js";
import { kindOr } from "../kind.js";
import { readRange } from "../reading.js";

/** @import {Bytes, Reading, Use} from "../bytes.js" */

/**
 * A member of an archive, as its directory describes it.
 * @typedef {object} Member
 * @property {string} name
 * @property {boolean} isDeflated
 * @property {number} crc
 * @property {number} packed  the compressed size
 * @property {number} size  the uncompressed size
 * @property {number} at  the offset of its local header
 * @property {number} limit  the offset of the next member or the directory, which its bytes must not exceed
 */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 0x2041; // by a password, strongly, or with its directory
const PATCH = 0x20; // the changes of a file
const IN_UTF8 = 1 << 11;
const SIZES_BEHIND = 1 << 3; // sizes follow the data
const BEYOND_4GIB = 0xffffffff; // the number is in a zip64 record

const MAX_MEMBERS = 4096;
const PIECE = 65_536; // decompressed at a time
const MAX_RATIO = 1032; // of deflate: 258 bytes for two bits

const VERSION = 20; // 2.0, deflate
const UNIX = 3 << 8;
const NEW_YEAR_1980 = 33; // the date that NumPy writes
const READABLE = 0o600 << 16;

/**
 * Reads the directory at the end of an archive.
 *
 * @param {Bytes} bytes
 * @param {Reading} reading
 * @returns {Promise<Member[]>} in the order of the directory
 */
export async function readDirectory(bytes, { signal }) {
  const { size } = bytes;
  const tailAt = Math.max(0, size - END_BYTES - MAX_COMMENT);
  const tail = viewOf(await bytes.read(tailAt, size, { signal }));
  const end = endOf(tail);
  if (end < 0) {
    const got = await kindOr(bytes.read, size, `${size} bytes`, signal);
    refuse("END", "file must end with the end record of a ZIP archive", got);
  }
  const [count, length, begin] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ];
  if (count === 0xffff || length === BEYOND_4GIB || begin === BEYOND_4GIB) refuseZip64();
  if (tail.getUint32(end + 4, true) !== 0 || tail.getUint16(end + 8, true) !== count) {
    refuse("END", "archive must be one file", "a part of several");
  }
  if (count > MAX_MEMBERS) refuse("COUNT", `archive must have at most ${MAX_MEMBERS}`, count);
  if (begin + length !== tailAt + end || length < count * CENTRAL_BYTES) {
    const rule = `directory must lie before the archive's end, at ${tailAt + end}`;
    refuse("DIRECTORY", rule, `${count} members in ${length} bytes from ${begin} on`);
  }
  const directory =
    begin < tailAt
      ? viewOf(await bytes.read(begin, begin + length, { signal }))
      : new DataView(tail.buffer, begin - tailAt, length);
  return readMembers(directory, count, begin);
}

/**
 * Reads a member and decompresses it, and checks its length and CRC-32 at the end. The bytes are passed on in chunks, so
 * that they are in memory once, where `use` puts them.
 *
 * @param {Bytes} bytes @param {Member} member @param {Use} use @param {Reading} reading
 */
export async function unpack(bytes, member, use, reading) {
  const { name, isDeflated, size, packed, crc } = member;
  const at = await dataOf(bytes, member, reading);
  let [length, found] = [0, 0];
  /** @param {Uint8Array<ArrayBuffer>} chunk */
  const take = async (chunk) => {
    if (length + chunk.length > size) refuseLength(member, "more");
    found = crc32(chunk, found);
    await use(chunk, length);
    length += chunk.length;
  };
  if (!isDeflated) await bytes.each(at, at + packed, take, reading);
  else {
    const whole = inflating(name, take);
    const short = (await refusesMore()) ? undefined : inflating(name, () => {});
    /** @param {Uint8Array<ArrayBuffer>} chunk @param {number} from */
    const put = async (chunk, from) => {
      await whole.put(chunk);
      await short?.put(from + chunk.length < packed ? chunk : chunk.subarray(0, -1));
    };
    try {
      await bytes.each(at, at + packed, put, reading);
      await whole.end();
      if (await isComplete(short)) {
        refuse("DEFLATE", `${describe(name)} must end with its deflate stream`, "more bytes");
      }
    } finally {
      whole.stop();
      short?.stop();
    }
  }
  if (length !== size) refuseLength(member, length);
  if (found !== crc) {
    const hex = (/** @type {number} */ x) => `0x${x.toString(16).padStart(8, "0")}`;
    refuse("CRC", `CRC-32 of ${describe(name)} must be ${hex(crc)}`, hex(found));
  }
}

/**
 * Decompresses the first bytes of a member, without checking its CRC.
 *
 * @param {Bytes} bytes @param {Member} member
 * @param {number} wanted  the number of bytes
 * @param {Reading} reading
 * @returns {Promise<Uint8Array<ArrayBuffer>>} fewer if the member is shorter
 */
export async function unpackStart(bytes, member, wanted, reading) {
  const { name, isDeflated, packed, size } = member;
  const at = await dataOf(bytes, member, reading);
  const most = Math.min(wanted, size);
  if (!isDeflated) return readRange(bytes, at, at + most, reading);
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  const { put, end, stop } = inflating(name, (part) => void parts.push(part));
  try {
    let from = at;
    for (let to; from < at + packed && sum(parts) < most; from = to) {
      to = Math.min(from + PIECE, at + packed);
      await put(await readRange(bytes, from, to, reading));
    }
    if (from === at + packed) await end();
  } finally {
    stop(); // the rest is not needed
  }
  return joined(parts).subarray(0, most);
}

/**
 * Writes an archive.
 *
 * @param {readonly [name: string, bytes: Uint8Array<ArrayBuffer>][]} files
 * @param {boolean} compress
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function pack(files, compress) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const members = [];
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const directory = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const path = new TextEncoder().encode(name);
    if (path.length > 0xffff)
      throw new RangeError(
        `tensors must have names of at most 65,531 bytes; got ${path.length - 4}`,
      );
    const packed = compress ? await deflate(bytes) : bytes;
    const shared = [
      ...u16(VERSION),
      ...u16(path.length > name.length ? IN_UTF8 : 0),
      ...u16(compress ? DEFLATED : STORED),
      ...u16(0),
      ...u16(NEW_YEAR_1980),
      ...u32(crc32(bytes)),
      ...u32(packed.length),
      ...u32(bytes.length),
      ...u16(path.length),
    ];
    const local = Uint8Array.from([...u32(LOCAL), ...shared, ...u16(0)]);
    const [noExtra, noComment, disk, internal] = [u16(0), u16(0), u16(0), u16(0)];
    const rest = [...noExtra, ...noComment, ...disk, ...internal, ...u32(READABLE), ...u32(at)];
    const entry = [...u32(CENTRAL), ...u16(UNIX | VERSION), ...shared, ...rest];
    members.push(local, path, packed);
    directory.push(Uint8Array.from(entry), path);
    at += local.length + path.length + packed.length;
  }
  const length = sum(directory);
  if (files.length > MAX_MEMBERS) {
    throw new RangeError(`tensors must be at most ${MAX_MEMBERS}; got ${files.length}`);
  }
  if (at + length >= BEYOND_4GIB) {
    throw new RangeError(`tensors must take less than 4 GiB; got ${at + length} bytes`);
  }
  const counts = [...u16(0), ...u16(0), ...u16(files.length), ...u16(files.length)];
  const end = Uint8Array.from([...u32(END), ...counts, ...u32(length), ...u32(at), ...u16(0)]);
  return joined([...members, ...directory, end]);
}

/** @param {number} number */
const u16 = (number) => [number & 0xff, number >>> 8];

/** @param {number} number */
const u32 = (number) => [...u16(number & 0xffff), ...u16(number >>> 16)];

/** @param {readonly Uint8Array[]} parts */
const sum = (parts) => parts.reduce((bytes, { length }) => bytes + length, 0);

/**
 * Finds the end record, whose comment extends to the end of the file.
 * @param {DataView} tail
 */
function endOf(tail) {
  for (let at = tail.byteLength - END_BYTES; at >= 0; --at) {
    const comment = tail.byteLength - END_BYTES - at;
    if (tail.getUint32(at, true) === END && tail.getUint16(at + 20, true) === comment) return at;
  }
  return -1;
}

/**
 * @param {DataView<ArrayBuffer>} view  of the directory @param {number} count
 * @param {number} directoryAt  in the file
 * @returns {Member[]}
 */
function readMembers(view, count, directoryAt) {
  /** @type {Map<string, Member>} */
  const members = new Map();
  let at = 0;
  for (let i = 0; i < count; ++i) {
    const isWhole = at + CENTRAL_BYTES <= view.byteLength && view.getUint32(at, true) === CENTRAL;
    const [name, extra, comment] = isWhole ? shorts(view, at + 28, 3) : [0, 0, 0];
    const next = at + CENTRAL_BYTES + name + extra + comment;
    if (!isWhole || next > view.byteLength) {
      refuse("DIRECTORY", `directory must hold ${count} members`, `${i} complete ones`);
    }
    const member = readMember(view, at, name);
    if (members.has(member.name)) {
      refuse("DUPLICATE", "members must have unique names", describe(member.name));
    }
    members.set(member.name, member);
    at = next;
  }
  if (at !== view.byteLength) {
    refuse(
      "DIRECTORY",
      `directory must hold ${count} members`,
      `${view.byteLength - at} bytes more`,
    );
  }
  let limit = directoryAt;
  for (const member of [...members.values()].sort((a, b) => b.at - a.at)) {
    member.limit = limit;
    if (member.at + LOCAL_BYTES + member.name.length + member.packed > limit) {
      const rule = `${describe(member.name)} must end before byte ${limit}, where the next begins`;
      refuse("OVERLAP", rule, `${member.packed} bytes from ${member.at} on`);
    }
    limit = member.at;
  }
  return [...members.values()];
}

/**
 * @param {DataView<ArrayBuffer>} view @param {number} at @param {number} nameLength
 * @returns {Member} still without its limit
 */
function readMember(view, at, nameLength) {
  const [flags, method] = shorts(view, at + 8, 2);
  const nameAt = view.byteOffset + at + CENTRAL_BYTES;
  const name = nameOf(new Uint8Array(view.buffer, nameAt, nameLength), flags);
  const [crc, packed, size] = [16, 20, 24].map((offset) => view.getUint32(at + offset, true));
  const begin = view.getUint32(at + 42, true);
  const [disk] = shorts(view, at + 34, 1);
  if (packed === BEYOND_4GIB || size === BEYOND_4GIB || begin === BEYOND_4GIB) refuseZip64();
  if (disk !== 0) refuse("DIRECTORY", `${describe(name)} must lie in this file`, `disk ${disk}`);
  refuseFlags(name, flags);
  if (method !== STORED && method !== DEFLATED) {
    refuse("METHOD", `${describe(name)} must be stored (0) or deflated (8)`, `method ${method}`);
  }
  const most = method === DEFLATED ? packed * MAX_RATIO : packed;
  if (size > most || (method === STORED && size !== packed)) {
    const rule = `${describe(name)} must be at most ${most} bytes unpacked, from ${packed}`;
    refuse("RATIO", rule, size);
  }
  return { name, isDeflated: method === DEFLATED, crc, packed, size, at: begin, limit: 0 };
}

/**
 * Whether a name is a relative path without "..", on any system.
 * @param {string} name
 */
export function isPath(name) {
  return name !== "" && !/^\/|^\w:|[\\\0]/.test(name) && !name.split("/").includes("..");
}

/**
 * Reads the name of a member, which must be a relative path.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {number} flags
 */
function nameOf(bytes, flags) {
  let name;
  try {
    name = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("NAME", "a member's name must be UTF-8", "other bytes");
  }
  if (name.length !== bytes.length && !(flags & IN_UTF8)) {
    refuse("NAME", "a member's name must be ASCII, or marked as UTF-8", describe(name));
  }
  if (!isPath(name)) {
    refuse("NAME", "a member's name must be a relative path", describe(name));
  }
  return name;
}

/**
 * Returns the offset of the data of a member, after its local header, which must agree with the directory.
 * @param {Bytes} bytes @param {Member} member @param {Reading} reading
 */
async function dataOf(bytes, { name, isDeflated, crc, packed, size, at, limit }, { signal }) {
  const path = new TextEncoder().encode(name);
  const header = await bytes.read(at, at + LOCAL_BYTES + path.length, { signal });
  const view = viewOf(header);
  const [flags, method] = shorts(view, 6, 2);
  const [nameLength, extra] = shorts(view, 26, 2);
  const sizes = [14, 18, 22].map((offset) => view.getUint32(offset, true));
  const isSame = path.every((byte, i) => header[LOCAL_BYTES + i] === byte);
  const isHere = view.getUint32(0, true) === LOCAL && nameLength === path.length && isSame;
  if (!isHere || (method === DEFLATED) !== isDeflated) {
    refuse(
      "LOCAL",
      `${describe(name)} must have its header at byte ${at}`,
      "another header, or none",
    );
  }
  refuseFlags(name, flags);
  // The sizes follow the data, or are in the extra field (zip64).
  const isElsewhere = (flags & SIZES_BEHIND) !== 0 || sizes[1] === BEYOND_4GIB;
  if (!isElsewhere && [crc, packed, size].some((number, i) => number !== sizes[i])) {
    const rule = `${describe(name)} must have the sizes of the directory, ${packed} and ${size}`;
    refuse("LOCAL", rule, sizes.slice(1).join(" and "));
  }
  const dataAt = at + header.length + extra;
  if (dataAt + packed > limit) {
    const rule = `${describe(name)} must end before byte ${limit}, where the next begins`;
    refuse("OVERLAP", rule, `${packed} bytes from ${dataAt} on`);
  }
  return dataAt;
}

/**
 * Decompresses what it is given piece by piece. A pipe would read ahead, in Node without a limit.
 * @param {string} name @param {(chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>} use
 */
function inflating(name, use) {
  const { writable, readable } = new DecompressionStream("deflate-raw");
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  const over = (async () => {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        const got = describe(/** @type {any} */ (cause)?.message);
        return refuse("DEFLATE", `${describe(name)} must be a valid deflate stream`, got, cause);
      });
      if (done) return;
      await use(value);
    }
  })();
  over.catch(() => {}); // `put` rejects with it
  return {
    /** @param {Uint8Array<ArrayBuffer>} chunk */
    async put(chunk) {
      for (let at = 0; at < chunk.length; at += PIECE) {
        const piece = chunk.slice(at, at + PIECE); // a copy, since Node goes on reading it
        await Promise.race([over, writer.write(piece).catch(() => over)]);
      }
    },
    async end() {
      writer.close().catch(() => {}); // the reader says so too
      await over;
    },
    stop: () => void reader.cancel().catch(() => {}),
  };
}

/** @type {Promise<boolean> | undefined} */
let refusing;

/** Whether the engine refuses bytes behind a stream. Node 20 does not: a stream must not be complete without its last byte. */
function refusesMore() {
  refusing ??= (async () => {
    const empty = inflating("", () => {});
    await empty.put(Uint8Array.of(3, 0, 0)).catch(() => {});
    return !(await isComplete(empty));
  })();
  return refusing;
}

/** Whether what it was given is a whole stream. @param {ReturnType<typeof inflating> | undefined} stream */
async function isComplete(stream) {
  try {
    await stream?.end();
    return stream !== undefined;
  } catch {
    return false;
  }
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function deflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const parts = []; // `new Response(stream)` would join them, but makes Node load its fetch
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parts.push(part.value);
  return joined(parts);
}

/** @param {readonly Uint8Array[]} parts */
function joined(parts) {
  const whole = allocate(Uint8Array, sum(parts), "the file");
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
const viewOf = ({ buffer, byteOffset, length }) => new DataView(buffer, byteOffset, length);

/** @param {DataView} view @param {number} at @param {number} count */
const shorts = (view, at, count) =>
  Array.from({ length: count }, (_, i) => view.getUint16(at + 2 * i, true));

/** @type {Uint32Array | undefined} */
let table;

/**
 * CRC-32 as zip, gzip and PNG have it.
 * @param {Uint8Array} bytes @param {number} [before]  of the bytes before these
 * @returns {number}
 */
function crc32(bytes, before = 0) {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    return crc;
  });
  let crc = ~before;
  for (let i = 0; i < bytes.length; ++i) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]) & 0xff];
  return ~crc >>> 0;
}

/** @param {string} name @param {number} flags  of the directory or the local header */
function refuseFlags(name, flags) {
  if (flags & ENCRYPTED) {
    refuse("ENCRYPTED", `${describe(name)} must not be encrypted`, "an encrypted member");
  }
  if (flags & PATCH) refuse("METHOD", `${describe(name)} must be a whole file`, "a patch");
}

/** @param {Member} member @param {unknown} got @returns {never} */
function refuseLength({ name, size }, got) {
  return refuse("LENGTH", `${describe(name)} must be ${size} bytes long`, got);
}

/** @returns {never} */
function refuseZip64() {
  return refuse("ZIP64", "archive must be smaller than 4 GiB", "zip64's numbers");
}

/**
 * @param {string} rule @param {string} message @param {unknown} got @param {unknown} [cause]
 * @returns {never}
 */
function refuse(rule, message, got, cause) {
  throw new FileError(`NPZ_${rule}`, `${message}; got ${got}`, { cause });
}
