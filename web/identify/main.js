// What is this table? Examples, files and pasted numbers are identified in a worker; the page shows the answer.

/** @import { Identified, Jobs } from "../app/oracle/oracle-worker.js" */
/** @import { Any } from "./shown.js" */
import { busy } from "../app/busy.js";
import { onFiles } from "../app/chosen-files.js";
import { copy } from "../app/copy.js";
import { byId, make } from "../app/dom.js";
import { inWords, showFailure } from "../app/errors.js";
import { quoted, visible } from "../app/models/label.js";
import { shape as listed } from "../app/numbers.js";
import { urlState } from "../app/url-state.js";
import { taskWorker } from "../app/work.js";
import { Pictures } from "./pictures.js";
import { asSentence, decided, keys, more, properties } from "./shown.js";
import { stories } from "./stories.js";
import "./style.css";

const FIRST = "squared";

const { work } = /** @type {ReturnType<typeof taskWorker<Jobs>>} */ (taskWorker("oracle"));
const pictures = new Pictures({
  spectrum: byId("spectrum"),
  deviation: byId("deviation"),
  said: byId("pictured"),
});

/** The example that is shown; "" for the reader's own numbers. */
let example = "";
/** Identifies the reader's own numbers again. */
let again = () => {};
/** @type {AbortController | undefined} */
let running;

const save = urlState({
  read(settings) {
    const name = settings.get("example") ?? "";
    showExample(Object.hasOwn(stories, name) ? name : FIRST);
  },
  entries: () => (example === "" || example === FIRST ? [] : [["example", example]]),
});

/** @param {string} name */
function showExample(name) {
  example = name;
  again = () => {};
  save();
  mark();
  const { port, note } = stories[name];
  return run(port, (options) => work("example", { name }, options), [note]);
}

/** Marks the button of the example. */
function mark() {
  for (const button of document.querySelectorAll("[data-example]"))
    button.setAttribute("aria-pressed", String(button.getAttribute("data-example") === example));
}

/** Shows what is not an example. @param {string} from @param {(options: {signal: AbortSignal}) => Promise<Identified>} identify @param {(wanted: any) => void} [choose] */
function showOwn(from, identify, choose) {
  example = "";
  again = () => void showOwn(from, identify, choose);
  save();
  mark();
  return run(from, identify, [], choose);
}

/** The number of heads, if it was entered. */
function headsOf() {
  const { value } = /** @type {HTMLInputElement} */ (byId("heads"));
  return value.trim() === "" ? undefined : Number(value);
}

/** @param {readonly File[]} files @param {any} [wanted]  arrays */
function showFiles(files, wanted) {
  const [first, ...others] = files;
  const from = `${quoted(first.name)}${others.length > 0 ? ` and ${others.length} more` : ""}`;
  const read = (/** @type {{signal: AbortSignal}} */ options) =>
    work("files", { files, wanted, heads: headsOf() }, options);
  return showOwn(from, read, (other) => showFiles(files, other));
}

/**
 * Asks the worker and shows its answer.
 * @param {string} from  whose numbers they are
 * @param {(options: {signal: AbortSignal}) => Promise<Identified>} identify
 * @param {readonly string[]} said  about them
 * @param {(wanted: any) => void} [choose]  shows others of the arrays
 */
async function run(from, identify, said, choose) {
  running?.abort();
  const own = (running = new AbortController());
  const { signal } = own;
  busy(1);
  byId("wrong").textContent = "";
  byId("answer").classList.add("outdated");
  byId("stop").hidden = false;
  try {
    const found = await identify({ signal });
    if (!signal.aborted) await show(found, from, said, choose);
  } catch (error) {
    if (own === running) fail(from, /** @type {Error} */ (error));
  } finally {
    if (own === running) byId("stop").hidden = true;
    busy(-1);
  }
}

/** @param {string} from @param {Error} error */
function fail(from, { name, message }) {
  const text = name === "AbortError" ? "Stopped." : inWords(message);
  byId("wrong").textContent = `${from}: ${text}`;
  byId("answer").hidden = true;
}

/** @param {Identified} found @param {string} from @param {readonly string[]} said @param {((wanted: any) => void) | undefined} choose */
async function show({ answer, read, program }, from, said, choose) {
  const any = /** @type {Any} */ (/** @type {unknown} */ (answer));
  const names = Object.values(read.names).map((name) => visible(name));
  const all = names.join(", ").replace(/, ([^,]*)$/, " and $1");
  byId("measured").textContent = `${from}: ${all}, ${listed(read.shape)}`;
  byId("sentence").textContent = asSentence(visible(any.sentence, 600));
  byId("notes").replaceChildren(
    ...[...said, ...read.notes].map((note) => make("p", {}, note)),
    ...choicesOf(read, choose),
  );
  byId("properties").replaceChildren(...properties(any), ...keys(any));
  byId("decided").replaceChildren(...decided(any));
  byId("more").replaceChildren(...more(any));
  byId("program").hidden = program === undefined;
  byId("code").textContent = program ?? "";
  const place = byId("answer");
  place.classList.remove("outdated");
  place.dataset.kind = any.kind;
  place.hidden = false;
  const rows = read.shape.at(answer.kind === "rope" && answer.headsAfter ? -3 : -2) ?? 1;
  await pictures.show(answer.kind === "rope" ? answer : undefined, rows);
}

/** Buttons for the other arrays of a file. @param {Identified["read"]} read @param {((wanted: any) => void) | undefined} choose */
function choicesOf({ choices, names }, choose) {
  const others = choices.filter((one) => JSON.stringify(one) !== JSON.stringify(names));
  if (!choose || others.length === 0) return [];
  const buttons = others.slice(0, 12).map((one) => {
    const label = Object.values(one).map((name) => visible(name)).join(" and "); // prettier-ignore
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", () => choose(one));
    return button;
  });
  return [make("p", { class: "buttons" }, "The file has others: ", ...buttons)];
}

function begin() {
  for (const button of document.querySelectorAll("[data-example]"))
    button.addEventListener("click", () => showExample(button.getAttribute("data-example") ?? ""));
  onFiles((files) => showFiles(files));
  const text = /** @type {HTMLTextAreaElement} */ (byId("text"));
  /** @type {HTMLFormElement} */ (text.form).addEventListener("submit", (event) => {
    event.preventDefault();
    const given = text.value;
    showOwn("The pasted text", (options) =>
      work("text", { text: given, heads: headsOf() }, options),
    );
  });
  byId("heads").addEventListener("change", () => again());
  byId("stop").addEventListener("click", () => running?.abort(new DOMException("", "AbortError")));
  byId("copy").addEventListener("click", () =>
    copy(byId("code").textContent ?? "", byId("copied")),
  );
}

busy(1);
try {
  begin();
  pictures.load().catch(() => {}); // reported where it is awaited
  const name = new URLSearchParams(location.hash.slice(1)).get("example") ?? "";
  await showExample(Object.hasOwn(stories, name) ? name : FIRST);
} catch (error) {
  showFailure(error);
} finally {
  busy(-1);
}
