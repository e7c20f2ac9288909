import { load } from "phasor/positional";

export async function run() {
  const { alibi } = await load();
  return alibi.slopes(4).data.join(" ");
}
