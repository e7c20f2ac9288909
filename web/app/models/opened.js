/**
 * @import { Progress, tasks, Wish } from "./tasks.js"
 * @import { Table } from "./table.js"
 */
import { count, megabytes } from "../numbers.js";
import { taskWorker } from "../work.js";
import { visible } from "./label.js";
import { near } from "./spelling.js";

/** The visible sign of a space. */
const SPACE = "\u2423";

/** Letters of a typed text that are cut into tokens. */
const CUT = 80;

/**
 * Opens a model in a separate worker, which runs all its computations.
 *
 * @param {Wish} wish
 * @param {{signal: AbortSignal, onprogress: (progress: Progress) => void}} options
 * @returns {Promise<Table>}
 * @throws {Error} if it cannot be opened; the reason of the signal if it is aborted
 */
export async function modelTable(wish, { signal, onprogress }) {
  const { work, dismiss } = /** @type {ReturnType<typeof taskWorker<typeof tasks>>} */ (
    taskWorker("models")
  );
  let opened;
  try {
    opened = await work("open", { wish }, { signal, onprogress });
  } catch (error) {
    dismiss(); // with all that is on its way
    throw error;
  }
  const { labels, lengths, size, dim, memory, requests, bytesRead, named, wrong, ...more } = opened;
  const { groups, choice, noun, ...about } = more;
  if (wrong) about.warnings.push(wrong);
  const names = namesOf(labels, choice !== undefined, named);
  const { words } = names;

  const mib = memory.byteLength / 2 ** 20;
  const network =
    requests > 0 ? `; ${count(requests)} requests, ${megabytes(bytesRead)} MB read` : "";
  const how = { onprogress }; // of a worker that opens the model again
  return {
    ...names,
    noun,
    lengths,
    size,
    dim,
    about,
    groups: groups && groupsOf(groups),
    choice: choice && { ...choice, wish },
    hub: wish.name ?? "",
    memory: `${mib.toFixed(mib < 10 ? 1 : 0)} MiB of memory as ${memory.dtype}${network}`,
    place: (id) => `${noun} ${count(id)} of ${count(size)}`,
    near: (text, most) => near(words, text, most),
    async pieces(text) {
      if (!named || text === "") return "";
      const plain = text.slice(0, CUT).replaceAll(SPACE, " ");
      // A tokenizer that cannot be read counts as missing.
      const pieces = await work("pieces", { wish, text: plain }, how).catch(() => []);
      return pieces.map((id) => words[id]).join(" | ");
    },
    neighbors: (id, k, metric) => work("neighbors", { wish, id, k, metric }, how),
    analogy: (ids, k, metric, inputs) => work("analogy", { wish, ids, k, metric, inputs }, how),
    answers: (triples, inputs) => work("answers", { wish, triples, inputs }, how),
    rows: (ids) => work("rows", { wish, ids }, how),
    numbers: (columns) => work("numbers", { wish, columns }, how),
    cosines: (ids) => work("cosines", { wish, ids }, how),
    components: (ids, components, signal) =>
      work("components", { wish, ids, components }, { ...how, signal }),
    spectrum: () => work("spectrum", { wish }, how),
    statistics: () => work("statistics", { wish }, how),
    repeated: () => work("repeated", { wish }, how),
    positions: () => work("positions", { wish }, how),
    close: dismiss,
  };
}

/**
 * The names of a table's rows, and how they are found.
 * @param {string[]} labels  of each row
 * @param {boolean} isOwn  whether the reader has made the table
 * @param {boolean} named  whether the model has a vocabulary
 * @returns {Pick<Table, "words" | "idOf" | "wordOf" | "alike" | "beginning">}
 */
function namesOf(labels, isOwn, named) {
  /** @type {Map<string, number>} */
  const ids = new Map();
  for (const [id, label] of labels.entries()) if (!ids.has(label)) ids.set(label, id);
  // Of two equal labels the later one is found by its number; in the reader's own table it keeps its label, too.
  const words = labels.map((label, id) => {
    if (ids.get(label) === id) return label;
    return isOwn ? `${label} #${id}` : `#${id}`;
  });
  for (const [id, word] of words.entries()) if (isOwn && !ids.has(word)) ids.set(word, id);

  /** @param {string} text  as typed, or as shown */
  const idOf = (text) => {
    const found = ids.get(text) ?? ids.get(visible(text)) ?? -1;
    const [, digits] = /^\s*#?(\d+)\s*$/.exec(text) ?? [];
    const isNumber = digits !== undefined && Number(digits) < words.length;
    return found < 0 && isNumber && (text.includes("#") || !named) ? Number(digits) : found;
  };
  const first = (/** @type {string[]} */ spellings) =>
    spellings.map((each) => ids.get(each)).find((id) => id !== undefined) ?? -1;
  const capital = (/** @type {string} */ word) => word.charAt(0).toUpperCase() + word.slice(1);
  /** @param {string} word */
  const spellings = (word) => [SPACE + word, SPACE + capital(word), word, capital(word)];

  return {
    words,
    idOf,
    wordOf: (word) => first(spellings(word)),
    alike(id) {
      const word = words[id].replace(SPACE, "");
      const others = [...new Set(spellings(word).map((each) => ids.get(each) ?? -1))];
      return others.filter((other) => other >= 0 && other !== id);
    },
    beginning(text, most) {
      if (text.trim() === "") return [];
      const shown = visible(text);
      return words
        .filter(
          (word) =>
            word.length > shown.length &&
            (word.startsWith(shown) || word.startsWith(SPACE + shown)),
        )
        .slice(0, most);
    },
  };
}

/** Groups that a figure tells apart by color and shape, besides the reader's own; the last is of all others. */
const GROUPS = 7;

/** The groups of a file: the largest, and the others as one. @param {readonly string[]} names  of each row, or "" */
function groupsOf(names) {
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const name of names) if (name) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  const bySize = [...sizes.keys()].sort((a, b) => Number(sizes.get(b)) - Number(sizes.get(a)));
  const kept = new Set(bySize.slice(0, bySize.length > GROUPS ? GROUPS - 1 : GROUPS));
  const found = [...names.entries()].filter(([, name]) => name);
  return new Map(found.map(([id, name]) => [id, kept.has(name) ? visible(name) : "other"]));
}
