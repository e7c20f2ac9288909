/**
 * @import { OpenModel } from "./inspect.js"
 * @import { Vocabulary } from "./label.js"
 */

/** A word, or other text between spaces. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['\u2019][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu;

/**
 * Cuts a text with the tokenizer of an open model, including the special tokens; or, for a model without a tokenizer,
 * into words of its vocabulary.
 *
 * @param {OpenModel} model @param {Vocabulary} vocabulary
 * @returns {Promise<{byWords: boolean, cut: (text: string) => {word: string, id: number | null}[]}>}
 */
export async function cutterOf(model, vocabulary) {
  const { Tokenizer } = await import("@huggingface/tokenizers");
  const tokenizer = await model.tokenizer(Tokenizer, { special: true });
  const byWords = (/** @type {string} */ text) =>
    Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
      word,
      id: idOf(vocabulary, word, index > 0),
    }));
  if (!tokenizer) return { byWords: true, cut: byWords };
  return {
    byWords: false,
    cut(text) {
      try {
        return tokenizer.encode(text).map((id) => ({ word: `#${id}`, id }));
      } catch (error) {
        // It has no id for an unknown word, and no token that takes its place.
        if (/^[\w.]+: ids must /.test(/** @type {Error} */ (error).message)) return byWords(text);
        throw error;
      }
    },
  };
}

/**
 * How a vocabulary spells a word: within a text with its space before it, or else in small letters.
 * @param {Vocabulary} vocabulary @param {string} word @param {boolean} isWithin
 */
function idOf(vocabulary, word, isWithin) {
  const spellings = isWithin ? [` ${word}`, word] : [word, ` ${word}`];
  for (const each of [...spellings, ...spellings.map((spelling) => spelling.toLowerCase())]) {
    const id = vocabulary.find(each);
    if (id !== undefined) return id;
  }
  return null;
}
