import MiniSearch from "minisearch";

/**
 * A section of a page, as the build writes it (web/vite/search.js).
 *
 * @typedef {object} Section
 * @property {string} page  the title of the page
 * @property {string} title  the heading of the section; the page's title for its beginning
 * @property {string} address  from the first page on
 * @property {string} text
 */

/** @typedef {Section & { kind: string, terms: string[] }} Found  `terms`: the words of it that were found */

/** What a page is, by the beginning of its address, and how much it counts beside others. */
const KINDS = /** @type {const} */ ([
  ["lessons/", "Lesson", 1.2],
  ["guides/", "Guide", 1.3],
  ["reference/", "Reference", 1],
  ["glossary/", "Glossary", 1.5],
  ["models/atlas/#", "Model", 0.8],
  ["models/", "Models", 1],
  ["museum/", "Museum", 0.9],
  ["claims/", "Claims", 0.9],
  ["", "Page", 0.9],
]);

/** @param {string} address */
const kindOf = (address) => KINDS.find(([start]) => address.startsWith(start)) ?? KINDS[8];

/** What people type for words that the pages have. @type {Readonly<Record<string, string>>} */
const ALSO = Object.freeze({
  csp: "content security policy",
  wasm: "webassembly",
});

/** From here on a misspelled letter is forgiven. */
const LONG = 5;

/**
 * Words as they are looked for: of `rope.applyAt` "rope", "apply", "at" and "applyat"; of `rotate_half` both parts.
 * @param {string} text @returns {string[]}
 */
export function wordsOf(text) {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

/** Without the ending of a plural. @param {string} word */
function stem(word) {
  const lower = word.toLowerCase();
  return /[^su]s$/.test(lower) && lower.length > 3 ? lower.slice(0, -1) : lower;
}

/**
 * Finds sections by words: those that have all words first, then those with some of them.
 *
 * @param {readonly Section[]} sections
 * @returns {(query: string, most?: number) => Found[]} the best first
 */
export function finder(sections) {
  const index = new MiniSearch({
    fields: ["title", "page", "text"],
    tokenize: wordsOf,
    processTerm: stem,
    searchOptions: {
      tokenize: (text) => text.match(/[\p{L}\p{N}]+/gu) ?? [],
      boost: { title: 4, page: 2 },
      prefix: (term, i, terms) => i === terms.length - 1 && term.length > 1,
      fuzzy: (term) => (term.length >= LONG ? 0.2 : false),
      weights: { fuzzy: 0.2, prefix: 0.5 },
      boostDocument: (id) => kindOf(sections[id].address)[2],
    },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return (query, most = 20) => {
    const words = query.replace(/[\p{L}]+/gu, (word) =>
      Object.hasOwn(ALSO, word.toLowerCase()) ? ALSO[word.toLowerCase()] : word,
    );
    const all = index.search(words, { combineWith: "AND" });
    const ids = new Set(all.map(({ id }) => id));
    const some = index.search(words, { combineWith: "OR" }).filter(({ id }) => !ids.has(id));
    const found = all.concat(some);
    return found.slice(0, most).map(({ id, terms }) => {
      const section = sections[id];
      return { ...section, terms, kind: kindOf(section.address)[1] };
    });
  };
}
