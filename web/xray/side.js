// One of the two configurations: where it comes from, and what is shown of it.

/** @import { Phasor } from "phasor" */
/** @import { Figure } from "phasor/plots" */
/** @import { Xray } from "phasor/xray" */
import { models } from "phasor/models";
import { figures } from "phasor/plots";
import { xray } from "phasor/xray";
import { busy } from "../app/busy.js";
import { copy } from "../app/copy.js";
import { byId, make } from "../app/dom.js";
import { inWords, showError } from "../app/errors.js";
import { exportsOf } from "../app/exports.js";
import { quoted, visible } from "../app/models/label.js";
import { megabytes } from "../app/numbers.js";
import { asSentence, commandOf, numbersOf, pairsOf, readersOf } from "./shown.js";

/**
 * A configuration, and the words for where it comes from.
 * @typedef {object} Source
 * @property {any} config  for `xray`: a name, a text or a description
 * @property {string} from  whose it is
 * @property {"name" | "text" | "file"} kind
 * @property {string} file  its name on a command line
 */

/** The most bytes of a config.json. */
const MOST_BYTES = 2 ** 22;

const { xray: draw } = figures();

/** @param {string} name */
export const isKnown = (name) => models.names.some((known) => known === name);

export class Side {
  #id;
  #changed;
  /** @type {Source | undefined} */
  #source;
  /** Why there is none. */
  #wrong = "";
  /** The latest change, so that a file that is read slowly does not undo a later one. */
  #order = 0;
  /** @type {Figure | undefined} */
  #figure;
  /** @type {Xray | undefined} */
  #seen;
  /** @type {Phasor | undefined} */
  phasor;

  /** @param {"first" | "second"} id @param {() => void} changed  called when there is another configuration */
  constructor(id, changed) {
    this.#id = id;
    this.#changed = changed;
    const name = this.#field;
    const text = /** @type {HTMLTextAreaElement} */ (this.#part("text"));
    name.addEventListener("input", () => {
      if (isKnown(name.value.trim())) this.#take(named(name.value.trim()));
    });
    name.addEventListener("change", () => this.#typed(name.value.trim()));
    text.addEventListener("input", () => {
      const isEmpty = text.value.trim() === "";
      this.#take(isEmpty ? undefined : pasted(text.value));
    });
    this.#part("copy").addEventListener("click", () =>
      copy(this.#part("command").textContent ?? "", this.#part("copied")),
    );
    this.#part("markdown").addEventListener("click", () => {
      const { alt } = /** @type {HTMLImageElement} */ (this.#part("badge"));
      copy(`![${alt}](positions.svg)`, this.#part("marked"));
    });
  }

  get #field() {
    return /** @type {HTMLInputElement} */ (byId(this.#id));
  }

  /** @param {string} name */
  #part(name) {
    return byId(`${this.#id}-${name}`);
  }

  /** The name of the model, if it was named. */
  get name() {
    return this.#source?.kind === "name" ? this.#source.from : undefined;
  }

  /** Whether there is neither a configuration nor an error. */
  get isEmpty() {
    return this.#source === undefined && this.#wrong === "";
  }

  /** The length that is shown, tokens. */
  get length() {
    return this.#seen?.length;
  }

  /** Takes a model by its name, or nothing. @param {string} name */
  setName(name) {
    ++this.#order;
    this.#source = name === "" ? undefined : named(name);
    this.#wrong = "";
    this.#field.value = name;
  }

  /** @param {Source | undefined} source @param {string} [wrong]  why there is none */
  #take(source, wrong = "") {
    const isMissing = source === undefined && this.#id === "first";
    ++this.#order;
    this.#source = source;
    this.#wrong = wrong || (isMissing ? "Type a model’s name, or paste a config.json." : "");
    if (source && source.kind !== "name") this.#field.value = "";
    this.#changed();
  }

  /** @param {string} name */
  #typed(name) {
    if (name === (this.name ?? "") && this.#wrong === "") return;
    if (name === "") {
      if (this.name !== undefined || this.#wrong !== "") this.#take(undefined);
    } else if (isKnown(name)) this.#take(named(name));
    else this.#take(undefined, unknown(name));
  }

  /** Reads a file of the reader's. @param {File} file */
  async open(file) {
    const order = ++this.#order;
    busy(1);
    try {
      const source = await read(file, this.phasor);
      if (order === this.#order) this.#take(source);
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      this.#field.value = "";
      if (order === this.#order) this.#take(undefined, `${quoted(file.name)}: ${inWords(message)}`);
    } finally {
      busy(-1);
    }
  }

  /**
   * Shows the configuration at a length.
   * @param {number | undefined} length  undefined: its own
   * @returns {Promise<number | undefined>} the length that is shown
   */
  async show(length) {
    const source = this.#source;
    let wrong = this.#wrong;
    this.#seen = undefined;
    try {
      if (source) this.#seen = await this.#xray(source, length);
    } catch (error) {
      wrong = wordsOf(/** @type {Error} */ (error).message);
    }
    showError(this.#id, wrong);
    this.#part("answer").hidden = this.#seen === undefined;
    if (source && this.#seen) this.#fill(source, this.#seen, length);
    return this.#seen?.length;
  }

  /** @param {Source} source @param {number | undefined} length */
  #xray({ config, kind }, length) {
    if (kind === "text") models.fromConfig(config); // to `xray`, a text that is no object is a name
    return xray(config, { phasor: this.phasor, ...(length !== undefined && { length }) });
  }

  /** @param {Source} source @param {Xray} seen @param {number | undefined} asked */
  #fill(source, seen, asked) {
    const { from, kind } = source;
    const name = kind === "name" ? from : visible(seen.type);
    const rotation = seen.scheme === "rope" ? "" : `, ${visible(seen.scheme)}`;
    this.#part("from").textContent = `${from}: ${visible(seen.type)}${rotation}`;
    this.#part("title").textContent = name;
    this.#part("sentence").textContent = seen.sentence;
    const warnings = seen.warnings.map((warning) => make("li", {}, asSentence(warning)));
    this.#part("warnings").replaceChildren(
      ...(warnings.length > 0 ? [make("ul", { class: "note" }, ...warnings)] : []),
    );
    this.#part("readers").replaceChildren(
      ...readersOf(seen, kind === "text", this.#part("others")),
    );
    this.#part("numbers").replaceChildren(numbersOf(seen));
    this.#part("command").textContent = commandOf(source.file, asked);
    this.#draw(seen, name);
    this.#showBadge(seen);
  }

  /** @param {Xray} seen */
  #showBadge(seen) {
    const image = /** @type {HTMLImageElement} */ (this.#part("badge"));
    const save = /** @type {HTMLAnchorElement} */ (this.#part("save"));
    if (save.href) URL.revokeObjectURL(save.href);
    const svg = String(draw(seen, { form: "badge", as: "svg" }));
    save.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    image.src = save.href;
    image.alt = `positions: ${seen.badge}`;
  }

  /** @param {Xray} seen @param {string} name */
  #draw(seen, name) {
    if (this.#figure) return this.#figure.update(seen, { name });
    const figure = (this.#figure = /** @type {Figure} */ (draw(seen, { name })));
    const tensor = () => pairsOf(/** @type {Xray} */ (this.#seen ?? seen));
    figure.append(exportsOf(figure, { name: `xray-${this.#id}`, tensor }));
    this.#part("picture").replaceChildren(figure);
  }
}

/** @param {string} name @returns {Source} */
const named = (name) => ({ config: name, from: name, kind: "name", file: name });

/** @param {string} text @returns {Source} */
const pasted = (text) => ({
  config: text,
  from: "The pasted text",
  kind: "text",
  file: "config.json",
});

/** @param {string} name  that is not one of `models.names` */
function unknown(name) {
  try {
    models.get(name);
    return "";
  } catch (error) {
    const [, close] = /; did you mean "([^"]*)"/.exec(/** @type {Error} */ (error).message) ?? [];
    const hint = close === undefined ? "Paste its config.json instead." : `Did you mean ${close}?`;
    return `No model is known as ${quoted(name)}. ${hint}`;
  }
}

/**
 * Reads the configuration of a file.
 * @param {File} file @param {Phasor | undefined} phasor
 * @returns {Promise<Source>}
 */
async function read(file, phasor) {
  const from = quoted(file.name);
  const isPlain = /^\w[\w.-]*$/.test(file.name); // else a shell may read it in another way
  if (/\.gguf$/i.test(file.name)) {
    const { open } = await import("phasor/open");
    const { config, warnings } = await open([file], { phasor });
    if (!config) throw new RangeError(warnings[0] ?? "It has no configuration.");
    return { config, from, kind: "file", file: isPlain ? file.name : "model.gguf" };
  }
  if (!/\.json$/i.test(file.name))
    throw new RangeError("This page reads a config.json or a .gguf file, which holds it.");
  if (file.size > MOST_BYTES)
    throw new RangeError(`It has ${megabytes(file.size)} MB, which no config.json has.`);
  return { ...pasted(await file.text()), from, file: isPlain ? file.name : "config.json" };
}

/** @param {string} message  of an error of `xray` */
function wordsOf(message) {
  return /length must be given/.test(message)
    ? "This configuration states no length: type one below."
    : inWords(message.length > 600 ? `${message.slice(0, 600)}\u2026` : message);
}
