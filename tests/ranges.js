/**
 * A range of a message that no number is in, such as "from 2 to 0"; undefined if it names none.
 * @param {string} message
 */
export function emptyRange(message) {
  for (const [range, least, most] of message.matchAll(
    /(?<!\S)(-?\d+) to (?:below )?(-?\d+)(?![\w.])/g,
  )) {
    if (BigInt(least) > BigInt(most) - (range.includes("below") ? 1n : 0n)) return range;
  }
  return /at most -\d+|below -?0(?![\w.])/.exec(message)?.[0];
}
