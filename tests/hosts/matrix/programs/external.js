import { load } from "phasor/external";
import { numbers } from "./numbers.js";

export const run = async () => numbers(await load());
