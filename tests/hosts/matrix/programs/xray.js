import { xray } from "phasor/xray";

export const run = async () => (await xray("llama-3.1-8b", { length: 60000 })).sentence;
