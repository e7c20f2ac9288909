/** What tests/phasor.js gives, where the package is bundled. */
import { load } from "phasor";

export * from "phasor";
export const phasor = await load();
