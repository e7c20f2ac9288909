/** @import { Table } from "../app/models/table.js" */
import { lacking } from "../app/models/label.js";

/**
 * Sets of words that belong together, by the names of their controls. A table may lack some of them;
 * the figure distinguishes at most eight groups, the reader's own among them.
 */
export const sets = Object.freeze({
  countries:
    "argentina australia austria belgium brazil canada chile china colombia croatia cuba denmark egypt england ethiopia finland france germany greece hungary iceland india indonesia iran iraq ireland israel italy japan kenya korea lebanon malaysia mexico morocco nepal netherlands nigeria norway pakistan peru philippines poland portugal romania russia scotland serbia singapore spain sudan sweden switzerland syria taiwan thailand ukraine vietnam wales zimbabwe",
  capitals:
    "athens baghdad bangkok beijing beirut belgrade berlin brussels bucharest budapest cairo canberra caracas copenhagen damascus delhi dublin hanoi havana helsinki islamabad jakarta jerusalem kabul kiev lima lisbon london madrid manila moscow nairobi oslo ottawa paris prague rome santiago seoul stockholm taipei tehran tokyo vienna warsaw washington zagreb",
  animals:
    "bear bee bird bull butterfly cat cattle chicken cow crab crocodile deer dog dolphin donkey duck eagle elephant fish fox frog goat goose hawk horse lion lizard monkey mouse owl parrot penguin pig pigeon rabbit rat salmon shark sheep snake spider squirrel swan tiger trout turtle whale wolf worm",
  colors:
    "amber beige black blue bronze brown crimson cyan gold golden gray green grey indigo lavender magenta maroon orange pink purple red scarlet silver tan turquoise violet white yellow",
  numbers:
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen",
  months: "january february march april may june july august september october november december",
  verbs:
    "ask asked become became begin began break broke bring brought build built buy bought call called come came do did eat ate fall fell find found fly flew give gave go went grow grew know knew leave left make made play played run ran say said see saw sell sold sing sang speak spoke stand stood take took teach taught tell told think thought walk walked write wrote",
});

/** The name of the reader's own group. */
const OWN = "your own";

/** Words of a group that the reader types, at most. */
const MOST = 500;

/**
 * The groups that are chosen: each word's group by its id. A word of two groups is in the reader's
 * own, else in the first. A file that names groups replaces the sets.
 *
 * @param {Table} table
 * @param {readonly string[]} chosen  names of sets
 * @param {string} own  words with spaces or commas between them
 * @returns {Map<number, string>}
 */
export function groupsOf({ idOf, wordOf, groups: given }, chosen, own) {
  /** @type {Map<number, string>} */
  const groups = new Map();
  /** @param {number[]} ids @param {string} name */
  const add = (ids, name) => {
    for (const id of ids) if (id >= 0 && !groups.has(id)) groups.set(id, name);
  };
  add(cut(own).map(idOf), OWN);
  if (given) {
    for (const [id, name] of given) add([id], name);
    return groups; // the figure distinguishes no more
  }
  for (const name of chosen) {
    add(sets[/** @type {keyof typeof sets} */ (name)].split(" ").map(wordOf), name);
  }
  return groups;
}

/**
 * What is wrong with the reader's own group; empty where nothing is.
 *
 * @param {Table} table @param {string} own
 * @param {boolean} typing  the last word may not be typed to its end
 */
export function complaint(table, own, typing) {
  const typed = typing ? own.replace(/(?<![^\s,;])[^\s,;]+$/, "") : own;
  const { noun, idOf, coming, size } = table;
  const unknown = [...new Set(cut(typed))].filter((word) => idOf(word) < 0 && !coming?.has(word));
  return lacking({ noun, size: coming?.size ?? size }, unknown);
}

/** @param {string} text */
function cut(text) {
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .slice(0, MOST);
}
