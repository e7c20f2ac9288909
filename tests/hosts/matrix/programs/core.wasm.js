import { load } from "phasor";
import { numbers } from "./numbers.js";

/** @param {NonNullable<Parameters<typeof load>[0]>["wasm"]} core  as the environment hands it over */
export const run = async (core) => numbers(await load({ wasm: core }));
