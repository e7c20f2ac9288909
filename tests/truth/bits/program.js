/** What an engine runs: it prints the digests, or leaves them to the page. */
import * as entry from "phasor";
import * as labEntry from "phasor/lab";
import { trained } from "./lab.js";
import { results } from "./results.js";

const found = JSON.stringify({ ...(await results(entry)), lab: await trained(labEntry) });
if (typeof document === "object") Object.assign(globalThis, { found });
else console.log(found);
