// Lets a test run on the sources: `node --import register.js child.js`. PHASOR_MUTANTS: the folder of the changed ones.

import { register } from "node:module";

register("./hooks.js", { parentURL: import.meta.url, data: process.env.PHASOR_MUTANTS });
