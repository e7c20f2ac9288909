// Lets a test run on the sources: `node --import register.js x.test.js`. PHASOR_MUTANT, a file of JSON, names
// a source file and the text that it gets.

import { readFileSync } from "node:fs";
import { register } from "node:module";

const mutant = process.env.PHASOR_MUTANT;
register("./hooks.js", {
  parentURL: import.meta.url,
  data: mutant === undefined ? undefined : JSON.parse(readFileSync(mutant, "utf8")),
});
