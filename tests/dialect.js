/**
 * Phrases that the project does not use in text that users read, each with what to write instead. A reader
 * should meet the field's terms and plain sentences only; tests/style.test.js searches for these.
 *
 * @type {readonly (readonly [phrase: RegExp, instead: string])[]}
 */
export const DIALECT = Object.freeze([
  [/\bheld against\b/i, "compared with"],
  [/\b(said|says so|told|words?) in words\b|, in words\b/i, "name what the message says"],
  [/\bstands? twice\b/i, "is repeated"],
  [/\bof (its|their|his|our|my|your) own\b/i, "its own, separate"],
  [/\bnobody's\b/i, "name what it belongs to"],
  [/\bmust be asked of\b/i, "CANNOT DO: reason"],
  [/\bbrought to life\b/i, "failed to load"],
  [/\bat home\b/i, "where it runs"],
  [/\bas at first\b/i, "Reset"],
  [/\bit comes of\b|\bcomes? of it\b|\bwhat came of\b/i, "results from"],
  [/\bis refused, never\b/i, "throws"],
  [/\bthe caller's own\b/i, "leave it out: results are new arrays"],
  [/\btold apart\b/i, "distinguished"],
  [/\bsaid doubtfully\b|\bdoubtfully\b/i, "non-fatal problems"],
  [/\bthe house\b|\ba room\b|\brooms\b|\bthe rooms?'/i, "module"],
  [/\bheld to the same\b/i, "compared"],
  [/\bas it is at first\b|\bat first\b/i, "initially"],
  [/\bbeside each other\b/i, "next to each other"],
  [/\bthere where\b/i, "where"],
  [/\bnone of ours\b|\bof ours\b/i, "phasor's"],
  [/\bno more be\b/i, "no longer"],
  [/\ba few words more\b/i, "a note"],
  [/\bwhatever it lies in\b|\bwherever (it|they) lie/i, "wherever it is stored"],
  [/\bis to be had\b|\bto be had\b/i, "is available"],
]);

/** British spellings that identifiers and text do not use. */
export const BRITISH =
  /\b(\w*(colour|neighbour|behaviour|favour|honour|(?<!aria-)labelled(?!by)|labelling|modelled|licence|centre(?!d by)|(?<!(gray green|purple) )grey|initialis|normalis|optimis|tokenis|serialis|quantis|vectoris|summaris|organis|recognis|minimis|maximis|analys(e|ed|es|ing)\b)\w*)\b/i;
