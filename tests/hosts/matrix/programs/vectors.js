import { vectors } from "phasor/vectors";

export async function run() {
  const { files } = await vectors("llama-2-7b", { length: 2, tests: [] });
  const sizes = Object.entries(files).map(([name, content]) => `${name} ${content.length}`);
  return sizes.join(", ");
}
