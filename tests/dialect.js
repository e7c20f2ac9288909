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
  [/\bof nothing (is|are|it|there)\b/i, "of zero rows is empty"],
  [/\b(see|sees|seeing) nothing\b/i, "fully masked"],
  [/\blets? go of\b|\blet go\b(?! =)/i, "release"],
  [/\bat last\b/i, "finally"],
  [/\b(is|are) said to\b/i, "name what the message says"],
  [/\bwhat (has|have) no\b|\bwhat is no(ne)?\b/i, "what is not a, values without"],
  [
    /\b(is|are) told( (in|by|of|first|from|why)\b|[.,;:"'|]|$)|\bit is told\b/i,
    "is reported, is passed",
  ],
  [/\bso many\b(?! that\b)/i, "the given number of"],
  [/\b(come|comes) to rest\b/i, "settles"],
  [/\bstick(s|ing)? out\b/i, "overflows"],
  [/\bwhoever\b|\b(by|for|from|of|than|to) who\b/i, "the caller, code that"],
  [/\bnothing to say\b/i, "reports nothing"],
  [/\bat (its|their) word\b|\bbelieves? no\b/i, "trusted, verified"],
  [/\b(refused|rejected|refuses|rejects) in words\b/i, "with a message that names it"],
]);

/** British spellings that identifiers and text do not use. */
export const BRITISH =
  /\b(\w*(colour|neighbour|behaviour|favour|honour|(?<!aria-)labelled(?!by)|labelling|modelled|licence|centre(?!d by)|(?<!(gray green|purple) )grey|initialis|normalis|optimis|tokenis|serialis|quantis|vectoris|summaris|organis|recognis|minimis|maximis|analys(e|ed|es|ing)\b)\w*)\b/i;

/** Lines with British spellings on purpose: misspelled options in tests, and a key in the metadata of data files. */
export const DELIBERATE = /\bnormalise\b|\blicence: "|\.licence\b/;
