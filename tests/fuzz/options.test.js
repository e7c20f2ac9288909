// Options and arguments of every function, drawn from what it declares.

import { describe, test } from "node:test";
import { calls } from "../calls.js";
import { load } from "../phasor.js";
import { attackOptions } from "./options.js";

const phasor = await load({ shared: false });

describe("fuzz: options and arguments give errors by the rules or sound results", () => {
  for (const name of Object.keys(calls)) {
    test(name, () => attackOptions(phasor, name, { runs: 60, seed: 1 }).then(() => undefined));
  }
});
