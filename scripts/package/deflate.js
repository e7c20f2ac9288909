// Deflates a file as small as possible: Zopfli's bytes are 6 % fewer than zlib's, and any inflater
// reads them. A separate program, because Zopfli's package installs handlers for a process's errors.
//   node scripts/package/deflate.js FROM TO

import { readFile, writeFile } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";
import { deflateAsync } from "@gfx/zopfli";

const [from, to] = process.argv.slice(2);
const bytes = await readFile(from);
const few = await deflateAsync(bytes, { numiterations: 30 }); // more gain nothing
if (!inflateRawSync(few).equals(bytes)) throw new Error("What was deflated must inflate again.");
await writeFile(to, few);
