/** Special tokens. Their text is never split. */
const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;

/** Characters that are words by themselves: BERT's blocks of Chinese characters. */
const CHINESE =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b820}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;

/** Runs without punctuation, or one mark. BERT counts all ASCII signs as punctuation. */
const WORD = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;

/** The longest word that is cut, in characters. */
const LONGEST = 100;

/**
 * The words of a text as BERT's uncased tokenizer cuts it: in lower case and without accents, each
 * punctuation mark and each Chinese character by itself.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function wordsOf(text) {
  return text.split(SPECIAL).flatMap((part, i) => {
    if (i % 2 === 1) return [part];
    const clean = part
      .replaceAll(/[\0\ufffd]|(?![\t\n\r])\p{C}/gu, "")
      .replaceAll(/\s/gu, " ")
      .replaceAll(CHINESE, " $& ")
      .normalize("NFD")
      .replaceAll(/\p{Mn}/gu, "")
      .toLowerCase();
    return clean.match(WORD) ?? [];
  });
}

/**
 * The pieces of a word: again and again the longest token that the rest begins with.
 *
 * @param {string} word
 * @param {(token: string) => boolean} has  whether the vocabulary has a token
 * @returns {string[]} `[UNK]` alone if a part of the word has no token
 */
export function pieces(word, has) {
  const characters = Array.from(word);
  if (characters.length > LONGEST) return ["[UNK]"];
  const found = [];
  for (let at = 0; at < characters.length;) {
    const start = at === 0 ? "" : "##";
    let end = characters.length;
    const token = () => start + characters.slice(at, end).join("");
    while (end > at && !has(token())) --end;
    if (end === at) return ["[UNK]"];
    found.push(token());
    at = end;
  }
  return found;
}
