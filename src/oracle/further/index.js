/** What identify needs for vectors, and for tables with rounded steps or positions by another rule. */
export { headsFirst } from "../numbers.js";
export { byRows, readPositions } from "./positions.js";
export { formatsBelow, NARROW, roundedTable } from "./rounded.js";
export { checkHeads, compareVectors, vectorPairings, vectorTurns } from "./vectors.js";
export { exchangedWords, ruleWords, slipWords, turnsShown } from "./words.js";
