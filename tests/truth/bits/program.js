/** What an engine runs: it prints the digests, or leaves them to the page. */
import * as entry from "phasor";
import { results } from "./results.js";

const found = JSON.stringify(await results(entry));
if (typeof document === "object") Object.assign(globalThis, { found });
else console.log(found);
