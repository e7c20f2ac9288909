import { Buffer } from "node:buffer";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

/** The whole site as one file, for a classroom without a network. */
export const ARCHIVE = "phasor-site.zip";

/** The page that says how large it is, in an element with this attribute. */
const TOLD_ON = "teaching/index.html";
const SIZE = /(<[^<>]+\bdata-archive-size\b[^>]*>)[^<]*/;

/** What the list for offline use, which is made later, takes of a file with its digest, in compressed bytes. */
const LISTED = 55;

const READ_ME = `phasor: the whole site, for a classroom without a network

Browsers run the pages from a server only, not from a file that is opened by a double click. In this folder, start one
of these servers:

  python3 -m http.server 8000
  npx serve --listen 8000

Then open http://127.0.0.1:8000/ on this computer, or, on others in the same room, port 8000 of this computer's address.
`;

/**
 * The archive of the site, in two plugins: the first, before the list of files for offline use is made, writes its size
 * into the page that links to it; the second, after all others, writes the archive.
 *
 * @returns {[before: import("vite").Plugin, after: import("vite").Plugin]}
 */
export function archive() {
  /** Files as they were compressed last, by name. @type {Map<string, { bytes: Buffer, packed: Buffer }>} */
  const known = new Map();
  /** @param {string} dir */
  const packed = (dir) => zip(filesIn(dir), known);
  return [
    {
      name: "archive-size",
      writeBundle({ dir = "" }, bundle) {
        const path = join(dir, TOLD_ON);
        const page = statSync(path, { throwIfNoEntry: false }) && readFileSync(path, "utf8");
        if (!page || !SIZE.test(page)) return;
        const megabytes = Math.round(
          (packed(dir).length + LISTED * Object.keys(bundle).length) / 1e6,
        );
        writeFileSync(path, page.replace(SIZE, `$1${megabytes} MB`));
      },
    },
    {
      name: "archive",
      writeBundle({ dir = "" }) {
        writeFileSync(join(dir, ARCHIVE), packed(dir));
      },
    },
  ];
}

/** What is published, by name, and how to serve it. @param {string} dir @returns {[name: string, bytes: Buffer][]} */
function filesIn(dir) {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(dir, name)).isFile() && !name.endsWith(".map"))
    .map((name) => name.replaceAll(sep, "/"))
    .filter((name) => name !== ARCHIVE)
    .sort();
  return [
    ["README.txt", Buffer.from(READ_ME)],
    ...names.map((name) => /** @type {[string, Buffer]} */ ([name, readFileSync(join(dir, name))])),
  ];
}

/**
 * A ZIP archive of the same bytes for the same files.
 *
 * @param {readonly [name: string, bytes: Buffer][]} files
 * @param {Map<string, { bytes: Buffer, packed: Buffer }>} known
 */
function zip(files, known) {
  /** @type {Buffer[]} */
  const members = [];
  /** @type {Buffer[]} */
  const directory = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const last = known.get(name);
    const packed = last?.bytes.equals(bytes) ? last.packed : deflateRawSync(bytes);
    known.set(name, { bytes, packed });
    const path = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0); // version 2.0
    shared.writeUInt16LE(1 << 11, 2); // names in UTF-8
    shared.writeUInt16LE(8, 4); // deflate
    shared.writeUInt16LE(33, 8); // 1980-01-01
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(path.length, 22);
    members.push(Buffer.from("PK\x03\x04"), shared, path, packed);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE((0o644 << 16) >>> 0, 6);
    entry.writeUInt32LE(at, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x03"), shared, entry, path);
    at += 4 + shared.length + path.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  for (const place of [4, 6]) end.writeUInt16LE(files.length, place);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...members, listed, Buffer.from("PK\x05\x06"), end]);
}
