import { load, Tensor } from "phasor";
import { numbers } from "./numbers.js";

export async function run() {
  const phasor = await load();
  if (!(phasor.sinusoidal.table(1, 2) instanceof Tensor)) throw new Error("It must be a Tensor.");
  return numbers(phasor);
}
