import { figures } from "phasor/plots";

export async function run() {
  const { heatmap } = figures();
  const values = [
    [0, 0.5],
    [-0.5, 1],
  ];
  return heatmap(values, { as: "svg" }) + heatmap(values, { as: "png" });
}
