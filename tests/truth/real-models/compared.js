// What `npm run x -- test:models` has compared, for the table that it ends with; and where models are.

import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { project } from "../../../scripts/setup/setup.js";

/**
 * @typedef {object} Compared
 * @property {string} model
 * @property {string} compared  what of it
 * @property {string} with  what gives the other side
 * @property {string} numbers  how many were compared
 * @property {string} apart  the worst difference
 */

/**
 * Note a comparison that has passed.
 *
 * @param {Omit<Compared, "numbers"> & {numbers: number}} row
 */
export function compared(row) {
  const numbers = row.numbers.toLocaleString("en");
  const line = JSON.stringify({ ...row, numbers });
  if (process.env.PHASOR_COMPARED) appendFileSync(process.env.PHASOR_COMPARED, `${line}\n`);
}

const path = join(project, "tests/truth/real-models/texts.json");

/** Texts that tokenizers find difficult. @type {{path: string, list: string[]}} */
export const texts = { path, list: JSON.parse(readFileSync(path, "utf8")) };

/** Where a model and what runs it are installed. @param {string} model */
export const installed = (model) => join(project, "build/real-models", model);

/**
 * What a Python program beside a test prints, as JSON. It is run with what that model has installed,
 * and has no network.
 *
 * @param {string} model @param {string} program @param {...string} args
 * @returns {any}
 */
export function python(model, program, ...args) {
  const file = join(project, "tests/truth/real-models", model, program);
  const { stdout, stderr, status, error } = spawnSync(
    join(installed(model), "bin/python"),
    ["-I", "-W", "ignore", file, ...args],
    {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      env: { PATH: process.env.PATH, HF_HUB_OFFLINE: "1", JAX_PLATFORMS: "cpu" },
    },
  );
  if (error || status !== 0) throw new Error(`${program} failed: ${error ?? stderr}`);
  return JSON.parse(stdout);
}

/**
 * The largest difference of two lists of numbers.
 *
 * @param {ArrayLike<number>} a @param {ArrayLike<number>} b
 */
export function apart(a, b) {
  if (a.length !== b.length) throw new Error(`${a.length} numbers beside ${b.length}`);
  let worst = 0;
  for (let i = 0; i < a.length; ++i) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference; // NaN as well, and it stays
  }
  return worst;
}
