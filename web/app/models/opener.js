/** @import { Kept, Progress, Wish } from "./tasks.js" */
import { busy } from "../busy.js";
import { onFiles } from "../chosen-files.js";
import { set, values } from "../controls.js";
import { byId, make } from "../dom.js";
import { inWords, showError } from "../errors.js";
import { count, megabytes } from "../numbers.js";
import { begin } from "../text/begin.js";
import { inked } from "./label.js";
import "./opener.css";
import { SUGGESTED } from "./suggested.js";

/** Names of the stages. */
const STAGES = { header: "its header", vocabulary: "its vocabulary", table: "its table of words" };

/**
 * The page's <x-opener>: opens a model by its name on the hub, or from files. The page keeps its
 * previous content until the model is open. No request is sent before the reader presses a button.
 *
 * @template {{close: () => void}} Opened
 */
class Opener {
  #place = byId("opening");
  #progress = /** @type {HTMLProgressElement} */ (this.#place.querySelector("progress"));
  #buttons = /** @type {HTMLButtonElement[]} */ ([...this.#place.querySelectorAll("button")]);
  #note = /** @type {HTMLElement} */ (this.#place.querySelector(".note"));
  #wrong = byId("opening-wrong");
  #name = /** @type {HTMLInputElement} */ (byId("model"));
  /** The name that the page's URL holds. */
  #linked = this.#name.value;
  /** @type {AbortController | undefined} */
  #abort;
  #open;
  #opened;

  /** @param {OpenerOptions<Opened>} options */
  constructor({ open, opened, linked }) {
    this.#open = open;
    this.#opened = opened;
    const [stop, back] = this.#buttons;
    if (this.#linked) {
      this.#note.textContent = `This link names ${this.#linked}. Press Open to read it.`;
      linked?.();
    }
    byId("suggested").replaceChildren(...SUGGESTED.map((model) => this.#suggestion(model)));
    byId("open").addEventListener("click", () => this.openNamed());
    this.#name.addEventListener("keydown", ({ key }) => key === "Enter" && this.openNamed());
    this.#name.addEventListener("input", () => void showError("model", ""));
    stop.addEventListener("click", () => this.#abort?.abort());
    back.addEventListener("click", () => this.#close());
    onFiles((files) => this.open({ files }));
  }

  /** @param {typeof SUGGESTED[number]} model */
  #suggestion({ name, vocabulary, dim, bytes }) {
    const size = `${count(vocabulary)} tokens of ${count(dim)} numbers, ${megabytes(vocabulary * dim * bytes)} MB`;
    const button = make("button", { type: "button" }, make("b", {}, name), " ", make("span", {}, size)); // prettier-ignore
    button.addEventListener("click", () => {
      set("model", name);
      this.openNamed();
    });
    return make("li", {}, button);
  }

  /** Shows the words of the page again. */
  #close() {
    set("model", "");
    this.#buttons[1].hidden = true;
    [this.#note.textContent, this.#wrong.textContent] = ["", ""];
    this.#opened(undefined, false);
    this.#name.focus();
  }

  openNamed() {
    const text = this.#name.value.trim();
    if (text === "" || this.#name.validity.patternMismatch || /\.\.|--/.test(text)) {
      const got = text === "" ? "" : `; got \u201c${begin(text, 60)}\u201d`;
      return void showError("model", `name must have the form owner/name${got}.`);
    }
    const [owner, model, ...file] = text.split("/");
    this.open({ name: model ? `${owner}/${model}` : owner, file: file.join("/") || undefined });
  }

  /** @param {Omit<Wish, "kept">} wish */
  async open(wish) {
    this.#abort?.abort();
    const own = (this.#abort = new AbortController());
    const title = wish.name ?? named(/** @type {readonly File[]} */ (wish.files));
    const { keep = "", rows } = values();
    const kept = /** @type {Kept} */ (keep);
    this.#begin(title);
    busy(1);
    try {
      const onprogress = (/** @type {Progress} */ step) =>
        own === this.#abort && this.#show(title, step);
      const model = await this.#open(
        { ...wish, kept, rows: rows && Number(rows) },
        { signal: own.signal, onprogress },
      );
      if (own.signal.aborted) return model.close();
      this.#end("");
      this.#buttons[1].hidden = false;
      if (!wish.name) set("model", "");
      this.#opened(model, wish.name !== undefined && this.#linked.startsWith(wish.name));
    } catch (error) {
      if (own === this.#abort) this.#fail(title, wish, /** @type {Error} */ (error));
    } finally {
      busy(-1);
    }
  }

  /** @param {string} title */
  #begin(title) {
    this.#wrong.textContent = "";
    showError("model", "");
    [this.#buttons[0].hidden, this.#progress.hidden] = [false, false];
    this.#progress.removeAttribute("value");
    this.#note.textContent = `Opening ${title} \u2026`;
  }

  /** @param {string} title @param {Omit<Wish, "kept">} wish @param {Error & {code?: string}} error */
  #fail(title, wish, { name, message, code }) {
    if (name === "AbortError")
      return this.#end("Stopped. The page still shows the previous model.");
    this.#end("");
    const hint = code === "OPEN_SEVERAL" ? ` ${hintFor(wish)}` : "";
    this.#wrong.textContent = `${title}: ${inWords(message)}${hint}`;
  }

  /** @param {string} title @param {Progress} step */
  #show(title, { stage, done, total, requests, bytesRead }) {
    if (stage === "done") return this.#end("");
    this.#progress.hidden = false;
    const isTable = stage === "table" && total > 0;
    if (isTable) this.#progress.value = done / total;
    else this.#progress.removeAttribute("value");
    const part = isTable ? `, ${megabytes(done)} of ${megabytes(total)} MB` : "";
    const network =
      requests > 0
        ? `; ${count(requests)} request${requests === 1 ? "" : "s"}, ${megabytes(bytesRead)} MB so far`
        : "";
    this.#note.textContent = `${title}: ${STAGES[stage]}${part}${network}`;
  }

  /** @param {string} text */
  #end(text) {
    [this.#buttons[0].hidden, this.#progress.hidden] = [true, true];
    this.#note.textContent = text;
  }
}

/**
 * @template Opened
 * @typedef {object} OpenerOptions
 * @property {(wish: Wish, options: {signal: AbortSignal, onprogress: (step: Progress) => void}) => Promise<Opened>} open
 * @property {(opened: Opened | undefined, isFromLink: boolean) => unknown} opened  undefined: the reader
 *   returns to the words of the page
 * @property {() => void} [linked]  called if the page's URL names a model
 */

/**
 * Starts the page's <x-opener>.
 * @template {{close: () => void}} Opened
 * @param {OpenerOptions<Opened>} options
 * @returns {(wish: Omit<Wish, "kept">) => Promise<void>} opens what the page asks for
 */
export function opener(options) {
  const one = new Opener(options);
  return (wish) => one.open(wish);
}

/** @param {readonly File[]} files */
function named(files) {
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  return `${inked(begin(files[0]?.name ?? "no file", 60))}${more}`;
}

/** How to choose one of several files. @param {Omit<Wish, "kept">} wish */
const hintFor = ({ name }) =>
  name === undefined ? "Choose one of them." : `Name one of them: ${name}/FILE.`;
