/** MiniLM's width. */
const DIM = 384;

const WORDS = ["dog", "bites", "man"];

const address = new URL("../data/dog-bites-man.bin", import.meta.url).href;

/**
 * The word vectors of all-MiniLM-L6-v2 for the first figure: of each word a float32 scale, little-endian, and 384 int8
 * numbers.
 */
export async function heroWords() {
  const answer = await fetch(address);
  if (!answer.ok)
    throw new Error(`The words of the first figure could not be read: ${answer.status}`);
  const view = new DataView(await answer.arrayBuffer());
  return WORDS.map((word, i) => {
    const at = i * (4 + DIM);
    const scale = view.getFloat32(at, true);
    return {
      word,
      vector: Float32Array.from({ length: DIM }, (_, d) => scale * view.getInt8(at + 4 + d)),
    };
  });
}
