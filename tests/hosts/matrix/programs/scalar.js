import { load } from "phasor/scalar";
import { numbers } from "./numbers.js";

export const run = async () => numbers(await load());
