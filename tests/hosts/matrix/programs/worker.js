import { load } from "phasor/worker";
import { numbers } from "./numbers.js";

export async function run() {
  const phasor = await load();
  const text = await numbers(phasor);
  await phasor.dispose();
  return text;
}
