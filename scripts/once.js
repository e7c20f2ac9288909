// Folders below build/ that are filled once, and again when what they are made from has changed.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { step } from "./run.js";

/**
 * Fills a folder, unless it was filled from the same texts.
 *
 * @param {string} folder
 * @param {string} what  for the reader
 * @param {string[]} from  files
 * @param {(folder: string) => Promise<unknown>} work
 */
export async function once(folder, what, from, work) {
  const stamp = `${folder}.stamp`;
  const wanted = from.map((file) => readFileSync(file, "utf8")).join("\0");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  await step(what, async () => {
    rmSync(stamp, { force: true });
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await work(folder);
    writeFileSync(stamp, wanted);
  });
}
