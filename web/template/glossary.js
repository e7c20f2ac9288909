/**
 * The words that lessons explain in passing. The glossary lists them, and the first of each in a lesson links to it.
 *
 * @type {readonly { term: string, also?: readonly string[], definition: string, lesson?: string }[]}
 */
export const glossary = [
  {
    term: "token",
    also: ["tokens"],
    definition: "A piece of text that has an id: a word, a part of a word, or a character.",
    lesson: "pieces",
  },
  {
    term: "vector",
    also: ["vectors"],
    definition: "A list of numbers, here the D numbers that stand for a token or a position.",
    lesson: "lookup",
  },
  {
    term: "embedding",
    also: ["embeddings"],
    definition: "The vector of a token: a row of a trained table.",
    lesson: "lookup",
  },
  {
    term: "dot product",
    also: ["dot products"],
    definition:
      "The sum of the products of two vectors, number by number: large if they point the same way.",
    lesson: "trained-table",
  },
  {
    term: "cosine",
    also: ["cosine similarity"],
    definition:
      "The dot product of two vectors divided by both lengths: 1 for the same direction, 0 for a right angle, −1 for opposite ones.",
    lesson: "trained-table",
  },
  {
    term: "softmax",
    definition:
      "Turns scores into weights that are positive and add up to 1: each is e to the score, divided by their sum.",
    lesson: "attention",
  },
  {
    term: "attention",
    definition:
      "The step in which each token mixes in what it needs of the others, weighted by scores of query and key.",
    lesson: "attention",
  },
  {
    term: "query",
    also: ["queries"],
    definition:
      "The vector by which a token asks the others; its dot product with a key is a score.",
    lesson: "attention",
  },
  {
    term: "key",
    also: ["keys"],
    definition: "The vector by which a token is found; its dot product with a query is a score.",
    lesson: "attention",
  },
  {
    term: "head",
    also: ["heads"],
    definition:
      "One of several attentions that run side by side, each with its own queries, keys and values.",
  },
  {
    term: "logit",
    also: ["logits"],
    definition: "A score before softmax.",
  },
  {
    term: "radian",
    also: ["radians"],
    definition: "The unit of an angle: a whole turn is 2π, about 6.28 radians.",
  },
  {
    term: "base",
    definition:
      "The number, mostly 10,000, whose powers give the frequencies of sinusoids and of rotary positions.",
    lesson: "sinusoidal",
  },
  {
    term: "frequency",
    also: ["frequencies"],
    definition: "The angle by which a pair of dimensions rotates at each position.",
    lesson: "sinusoidal",
  },
  {
    term: "LayerNorm",
    definition:
      "Shifts and scales the numbers of a vector to mean 0 and variance 1, then applies a trained scale and shift.",
    lesson: "whole-input",
  },
  {
    term: "context length",
    definition: "The number of tokens that a model was trained to read at once.",
    lesson: "longer-context",
  },
  {
    term: "padding",
    definition: "Tokens without meaning that make the texts of a batch equally long.",
    lesson: "learned",
  },
  {
    term: "tensor",
    also: ["tensors"],
    definition: "An array of numbers with a shape, such as [T, D]: T vectors of D numbers.",
    lesson: "gpt2-input",
  },
  {
    term: "cache",
    definition:
      "The keys and values of the tokens that a model has read, kept so that they need not be computed again.",
    lesson: "gpt2-input",
  },
  {
    term: "parameter",
    also: ["parameters"],
    definition: "A number that a model learns in training.",
    lesson: "which-one",
  },
  {
    term: "perplexity",
    definition:
      "e to the mean loss of a token: as if the model had to choose among that many equally likely tokens. Lower is better.",
  },
  {
    term: "vocabulary",
    definition: "The list of all tokens of a model, each with its id.",
    lesson: "pieces",
  },
  {
    term: "BPE",
    also: ["byte-pair encoding"],
    definition:
      "Byte-pair encoding: a vocabulary made by joining the most frequent pair of pieces again and again.",
    lesson: "pieces",
  },
  {
    term: "one-hot",
    definition: "Of a vector: zeros, and a single 1 at the place of the id.",
    lesson: "lookup",
  },
  {
    term: "positional encoding",
    also: ["positional encodings"],
    definition:
      "What tells a model where a token stands: numbers added to embeddings or to scores, or a rotation of queries and keys.",
    lesson: "counting",
  },
  {
    term: "causal mask",
    definition: "Lets each token attend to itself and to earlier tokens alone.",
    lesson: "attention",
  },
  {
    term: "RoPE",
    also: ["rotary positions", "rotary position embedding"],
    definition: "Rotates queries and keys by angles that grow with the position.",
    lesson: "rope",
  },
  {
    term: "ALiBi",
    definition:
      "Attention with linear biases: adds a number to each score that depends on the distance.",
    lesson: "alibi",
  },
  {
    term: "NTK",
    also: ["NTK-aware"],
    definition:
      "A scaling of RoPE for longer texts: another base, after the neural tangent kernel.",
    lesson: "longer-context",
  },
  {
    term: "YaRN",
    definition:
      "A scaling of RoPE for longer texts, with a factor for each pair of dimensions and one for the scores.",
    lesson: "longer-context",
  },
];

/** @param {string} term */
export const anchorOf = (term) => term.toLowerCase().replace(/[^a-z]+/g, "-");

/** Elements that are not running text. */
const APART =
  ".lead, a, button, code, pre, h1, h2, h3, form, math, svg, label, summary, .place-of-lesson, .beginning, [data-fact]";

/**
 * Links the first use of each word of the glossary in a lesson.
 * @param {Document} document @param {readonly string[]} [others]  terms that the lesson uses in another sense
 */
export function linkTerms(document, others = []) {
  for (const { term, also = [], definition } of glossary) {
    if (others.includes(term)) continue;
    const words = [term, ...also].sort((a, b) => b.length - a.length).join("|");
    const pattern = new RegExp(`(?<![\\w-])(?:${words})(?![\\w-])`, "i");
    const texts = [...document.querySelectorAll("main p, body p, li")]
      .filter((each) => !each.closest(APART))
      .flatMap((each) => [...each.childNodes])
      .filter((node) => node.nodeType === 3);
    const node = texts.find(({ textContent }) => pattern.test(textContent ?? ""));
    if (!node) continue;
    const text = node.textContent ?? "";
    const found = /** @type {RegExpExecArray} */ (pattern.exec(text));
    const link = document.createElement("a");
    link.className = "glossed";
    link.setAttribute("href", `@root/glossary/#${anchorOf(term)}`);
    link.setAttribute("data-definition", definition);
    link.textContent = found[0];
    const after = text.slice(found.index + found[0].length);
    /** @type {any} */ (node).replaceWith(text.slice(0, found.index), link, after);
  }
}
