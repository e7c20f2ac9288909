import { load } from "phasor/sinusoidal";

export async function run() {
  const { sinusoidal } = await load();
  return sinusoidal.table(3, 4).data.join(" ");
}
