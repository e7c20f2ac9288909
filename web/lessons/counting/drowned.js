// Two words whose position is added to each of their numbers, until they drown in it.

/** @import { Phasor } from "phasor" */
import { brief } from "../../app/numbers.js";
import { waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { valueAt } from "../../app/questions/verdict.js";
import { heroWords } from "../../home/hero-words.js";

/** The last position of the question that is answered by drawing. */
const DRAWN = 20;

/** The vectors of “dog” and “man”, whose numbers are about 1 in size. */
export async function dogAndMan() {
  const [dog, , man] = (await heroWords()).map(({ vector }) =>
    vector.map((x) => x * Math.sqrt(vector.length)),
  );
  return [dog, man];
}

/** The cosine of dog and man, each with t added to all of its numbers: for t = 0 .. last. */
export const drowned = remembered(
  /** @param {Phasor} phasor @param {Float32Array[]} words @param {number} last */
  ({ similarity }, [dog, man], last) => {
    const shape = [last + 1, dog.length];
    const sums = [dog, man].map((word) => ({
      data: Float32Array.from(
        { length: shape[0] * shape[1] },
        (_, i) => word[i % shape[1]] + Math.floor(i / shape[1]),
      ),
      shape,
    }));
    return Array.from(similarity.rows(sums[0], sums[1]).data, Number);
  },
);

/**
 * Their cosine, and what the reader has drawn.
 * @param {Phasor} phasor @param {Float32Array[]} words @param {number} reach  the last position
 * @param {(readonly [number, number])[] | undefined} drawn
 */
export function drownedPicture(phasor, words, reach, drawn) {
  return waves(beside([drowned(phasor, words, reach)], drawn), {
    title: "The cosine of “dog” + t and “man” + t",
    labels: ["computed", ...(drawn ? ["your drawing"] : [])],
    xTitle: "position t (tokens)",
    yTitle: "cosine",
    yDomain: [0, 1],
  });
}

/** The curve that a reader is asked to draw. @param {Phasor} phasor @param {Float32Array[]} words */
export function drownedAnswer(phasor, words) {
  const cosines = drowned(phasor, words, DRAWN);
  return {
    curve: cosines.map((cosine, t) => /** @type {const} */ ([t, cosine])),
    within: 0.1,
    because: `At t = 3 it is already ${brief(cosines[3])}: both sums point almost along the vector whose numbers all equal t, and the words are lost in it.`,
  };
}

/** Lines as the columns of a matrix. @param {number[][]} lines */
export function columns(lines) {
  return lines[0].map((_, t) => lines.map((line) => line[t]));
}

/**
 * The lines, and what the reader drew as a further one.
 * @param {number[][]} lines @param {(readonly [number, number])[] | undefined} drawn
 */
function beside(lines, drawn) {
  if (!drawn) return columns(lines);
  const last = drawn[drawn.length - 1][0];
  const own = lines[0].map((_, t) => (t > last ? NaN : valueAt(drawn, t)));
  return columns([...lines, own]);
}
