import { identify } from "phasor/oracle";

export async function run() {
  const angles = [0, 1, 2, 3, 4, 5].map((position) => [position, position / 100]);
  const cos = angles.map((row) => row.map(Math.cos));
  const sin = angles.map((row) => row.map(Math.sin));
  return (await identify({ cos, sin })).sentence;
}
