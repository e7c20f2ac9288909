/** @import { Kept, Progress, Wish } from "./tasks.js" */
import { blame, set, values } from "../controls.js";
import { byId, make } from "../dom.js";
import { count, megabytes } from "../numbers.js";
import { inked } from "./label.js";
import "./opener.css";

/** Models of the hub to begin with. */
const SUGGESTED = [
  "openai-community/gpt2",
  "google-bert/bert-base-uncased",
  "sentence-transformers/all-MiniLM-L6-v2",
  "Qwen/Qwen2.5-0.5B",
];

/** What is being read, in words. */
const STAGES = { header: "its header", vocabulary: "its vocabulary", table: "its table of words" };

/**
 * Where a model is opened, the page's <x-opener>: by its name on the hub, or from files. What is shown
 * stays until another is there whole. Nothing is read from a hub before the reader has pressed a button.
 *
 * @template {{close: () => void}} Opened
 * @param {object} told
 * @param {(wish: Wish, options: {signal: AbortSignal, onprogress: (step: Progress) => void}) => Promise<Opened>} told.open
 * @param {(by: 1 | -1) => void} told.busy
 * @param {(opened: Opened | undefined, isFromLink: boolean) => void} told.opened  undefined: the
 *   page's own words again
 */
export function opener(told) {
  const place = byId("opening");
  const progress = /** @type {HTMLProgressElement} */ (place.querySelector("progress"));
  const [stop, back] = /** @type {HTMLButtonElement[]} */ ([...place.querySelectorAll("button")]);
  const note = /** @type {HTMLElement} */ (place.querySelector(".note"));
  const wrong = byId("opening-wrong");
  const name = /** @type {HTMLInputElement} */ (byId("model"));
  const files = /** @type {HTMLInputElement} */ (byId("files"));
  const drop = byId("drop");
  const linked = name.value;
  /** @type {AbortController | undefined} */
  let abort;

  if (linked) note.textContent = `This link is of ${linked}, which has not been read: press Open.`;

  byId("suggested").replaceChildren(
    ...SUGGESTED.map((each) => {
      const button = make("button", { type: "button" }, each);
      button.addEventListener("click", () => {
        set("model", each);
        openNamed();
      });
      return make("li", {}, button);
    }),
  );
  byId("open").addEventListener("click", openNamed);
  name.addEventListener("keydown", ({ key }) => key === "Enter" && openNamed());
  name.addEventListener("input", () => void blame("model", ""));
  stop.addEventListener("click", () => abort?.abort());
  back.addEventListener("click", () => {
    set("model", "");
    back.hidden = true;
    [note.textContent, wrong.textContent] = ["", ""];
    told.opened(undefined, false);
    name.focus();
  });
  files.addEventListener("change", () => {
    const chosen = [...(files.files ?? [])];
    files.value = ""; // so that the same may be chosen again
    if (chosen.length > 0) open({ files: chosen });
  });

  let inside = 0; // of the elements that a drag enters and leaves
  const holdsFiles = (/** @type {DragEvent} */ event) =>
    event.dataTransfer?.types.includes("Files");
  const mark = (/** @type {number} */ by) => {
    inside = Math.max(0, inside + by);
    drop.classList.toggle("over", inside > 0);
  };
  addEventListener("dragenter", (event) => holdsFiles(event) && mark(1));
  addEventListener("dragleave", (event) => holdsFiles(event) && mark(-1));
  addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault(); // else the browser goes to the file
    mark(-inside);
    open({ files: [.../** @type {DataTransfer} */ (event.dataTransfer).files] });
  });

  function openNamed() {
    const text = name.value.trim();
    if (text === "" || name.validity.patternMismatch || /\.\.|--/.test(text)) {
      const got = text === "" ? "" : `, not \u201c${text.slice(0, 60)}\u201d`;
      return void blame("model", `A name is as owner/name${got}.`);
    }
    const [owner, model, ...file] = text.split("/");
    open({ name: model ? `${owner}/${model}` : owner, file: file.join("/") || undefined });
  }

  /** @param {Omit<Wish, "kept">} wish */
  async function open(wish) {
    abort?.abort();
    const own = (abort = new AbortController());
    const title = wish.name ?? named(/** @type {readonly File[]} */ (wish.files));
    const kept = /** @type {Kept} */ (values().keep ?? "");
    wrong.textContent = "";
    blame("model", "");
    [stop.hidden, progress.hidden] = [false, false];
    progress.removeAttribute("value");
    note.textContent = `Opening ${title} \u2026`;
    told.busy(1);
    try {
      const model = await told.open(
        { ...wish, kept },
        { signal: own.signal, onprogress: (step) => own === abort && tell(title, step) },
      );
      if (own.signal.aborted) return model.close();
      rest("");
      back.hidden = false;
      if (!wish.name) set("model", "");
      told.opened(model, wish.name !== undefined && linked.startsWith(wish.name));
    } catch (error) {
      if (own !== abort) return;
      const { name, message, code } = /** @type {Error & {code?: string}} */ (error);
      const hint = code === "OPEN_SEVERAL" ? ` ${hintFor(wish)}` : "";
      rest(name === "AbortError" ? "Stopped; the model before is still here." : "");
      if (name !== "AbortError") wrong.textContent = `${title}: ${sentence(message)}${hint}`;
    } finally {
      told.busy(-1);
    }
  }

  /** @param {string} title @param {Progress} step */
  function tell(title, { stage, done, total, requests, bytes }) {
    if (stage === "done") return rest("");
    progress.hidden = false;
    const isTable = stage === "table" && total > 0;
    if (isTable) progress.value = done / total;
    else progress.removeAttribute("value");
    const part = isTable ? `, ${megabytes(done)} of ${megabytes(total)} MB` : "";
    const network =
      requests > 0
        ? `; ${count(requests)} request${requests === 1 ? "" : "s"}, ${megabytes(bytes)} MB so far`
        : "";
    note.textContent = `${title}: ${STAGES[stage]}${part}${network}`;
  }

  /** @param {string} words */
  function rest(words) {
    [stop.hidden, progress.hidden] = [true, true];
    note.textContent = words;
  }
}

/** @param {readonly File[]} files */
function named(files) {
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  return `${inked((files[0]?.name ?? "no file").slice(0, 60))}${more}`;
}

/** How to say which of several files is meant. @param {Omit<Wish, "kept">} wish */
const hintFor = ({ name }) =>
  name === undefined ? "Choose one of them." : `Name one of them: ${name}/FILE.`;

/** @param {string} text */
const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);
