/**
 * Every two of these mistakes at once, where one can be made on top of the other.
 *
 * @template {(...given: any[]) => any} F
 * @param {readonly { says: string, wrong: F, on?: (wrong: F) => F }[]} mistakes
 * @returns {{ says: string, wrong: F }[]}
 */
export const both = (mistakes) =>
  mistakes.flatMap(({ says, on }, i) =>
    mistakes
      .filter((other, j) => on && j !== i && !(other.on && j < i))
      .map((other) => ({
        says: twice(says, other.says),
        wrong: /** @type {(wrong: F) => F} */ (on)(other.wrong),
      })),
  );

/** @param {string} a @param {string} b */
export const twice = (a, b) => `Two mistakes at once. ${a} ${b}`;
