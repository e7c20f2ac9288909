// The words of web/data, as Node reads them.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { safetensors } from "phasor/files";
import { project } from "../../../scripts/setup/setup.js";

export async function readWords() {
  const read = (/** @type {string} */ name) => readFile(join(project, "web/data", name));
  const file = await safetensors.read(new Blob([await read("glove-10k-100d.safetensors")]));
  const vectors = await file.tensor("embedding.weight", { scale: "embedding.scale" });
  const words = String(await read("glove-10k-words.txt"))
    .trimEnd()
    .split("\n");
  const named = (/** @type {{data: ArrayLike<number>}} */ ids) =>
    Array.from(ids.data, (id) => words[id]);
  return { vectors, words, named };
}
