/** @import { Sandbox } from "./sandbox.js" */
import { make } from "./dom.js";
import { bytes, modulesOf } from "./packages.js";
import "./runnable.css";
import { sandbox } from "./sandbox.js";

/** Seconds after which the page says that a program still runs, or ends a task's. */
const LONG = 10;
const LATE = 5;

/** How often a frame is asked for: the browser may put one into a process that hangs since the last program. */
const ATTEMPTS = 3;

/** The maximal height of a frame, px. */
const TALLEST = 20_000;

/** A line that only Python has, and what to do with it. */
const PYTHON = /^\s*(?:import [\w.]+(?: as \w+)?|from [\w.]+ import .+|def \w+\(.*\).*:)\s*$/m;
const IN_PYTHON =
  ". Programs on this page are in JavaScript; the guide JupyterLite is about Python.";

/** The colors that a frame takes from the page. */
const COLORS = ["--paper", "--raised", "--ink", "--quiet", "--line", "--accent", "--wrong"];

/** Why a program that reads a model cannot run on the page. */
export const NO_NETWORK =
  "Programs on this page cannot use the network. Run this one in Node, or in a page of yours.";

let count = 0;

/**
 * A program that the reader can edit and run.
 *
 * @typedef {object} Runnable
 * @property {(code: string, elsewhere?: string) => void} show  shows the code after the settings have changed,
 *   unless the reader has edited it; Reset then shows it. `elsewhere` is the reason why it does not
 *   run here, if any
 * @property {() => Promise<void>} run
 * @property {boolean} edited  whether the reader has changed the code
 */

/**
 * What makes a program a task: code runs after the reader's, and the page judges what that code tells.
 *
 * @typedef {object} Task
 * @property {string} kept  the reader's code of an earlier visit
 * @property {string} after  code that runs after the reader's
 * @property {readonly Node[]} buttons  further ones
 * @property {Node} verdict
 * @property {() => void} began
 * @property {(code: string) => void} edited
 * @property {() => void} reset
 * @property {(message: Record<string, unknown>) => void} hear
 * @property {(words: string, line: number) => string} failed  the words for an error
 * @property {(seconds: number) => string} late  the words for a program that does not end
 */

/**
 * @param {Element} place
 * @param {object} options
 * @param {string} options.code
 * @param {string} options.label  what the program does
 * @param {readonly string[]} [options.data]  absolute addresses of this site that the program fetches
 * @param {Task} [options.task]
 * @returns {Runnable}
 */
export function runnable(place, { code, label, data = [], task }) {
  const id = `program-${++count}`;
  const field = fieldOf(id, label);
  const button = (/** @type {string} */ name) => make("button", { type: "button" }, name);
  const verb = task ? "Check" : "Run";
  const [runButton, stopButton, resetButton, copyButton] = [verb, "Stop", "Reset", "Copy"].map(
    button,
  );
  const told = make("p", { class: "note told", role: "status" });
  const wrong = make("p", { class: "wrong", id: `${id}-wrong`, "aria-live": "polite" });
  const hint = make("p", { class: "note hint", id: `${id}-hint` });
  const result = make("div", { class: "result" });
  place.append(
    make(
      "div",
      { class: "runnable", role: "group", "aria-label": label },
      field,
      hint,
      make(
        "p",
        { class: "buttons" },
        ...[runButton, stopButton],
        ...(task ? [...task.buttons, resetButton] : [resetButton, copyButton]),
      ),
      ...(task ? [task.verdict] : []),
      wrong,
      told,
      result,
    ),
  );

  let original = code;
  let where = ""; // else than here
  /** @type {Sandbox | undefined} */
  let frame;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let long;
  let height = 0;

  const isEdited = () => field.value !== original;

  /** @param {string} code @param {string} elsewhere */
  function fill(code, elsewhere) {
    original = field.value = code;
    where = elsewhere;
    resetButton.disabled = true;
    size();
    for (const button of [runButton, stopButton]) button.hidden = elsewhere !== "";
    const first = elsewhere || `Edit the code and ${verb.toLowerCase()} it with Ctrl+Enter.`;
    hint.textContent = `${first} While you type, Tab indents; press Escape, then Tab, to leave.`;
    if (elsewhere && frame) stop();
  }

  /** Sets the number of lines where the browser does not fit the height. */
  function size() {
    field.rows = field.value.split("\n").length;
  }

  /** @param {string} words */
  function say(words) {
    told.textContent = words;
  }

  /** Ends the program. @param {string} words */
  function rest(words) {
    clearTimeout(long);
    stopButton.disabled = true;
    say(words);
  }

  /** @param {string} words */
  function blame(words) {
    wrong.textContent = words;
    field.setAttribute("aria-invalid", String(words !== ""));
  }

  async function run() {
    if (runButton.hidden) return;
    frame?.remove();
    clearTimeout(long);
    blame("");
    say(task ? "Checking …" : "Running …");
    task?.began();
    stopButton.disabled = false;
    const began = performance.now();
    const parts = Promise.all([modulesOf(field.value), filesOf(data)]);
    parts.catch(() => {}); // it is awaited after the frame
    let mine = open();
    try {
      await answering();
      const [modules, files] = await parts;
      if (mine !== frame) return; // stopped meanwhile, or run anew
      long = setTimeout(tooLong, (task ? LATE : LONG) * 1000);
      dress(mine);
      mine.send({ program: { code: field.value + (task?.after ?? ""), modules, files } });
    } catch (error) {
      if (mine === frame) fail(/** @type {Error} */ (error).message);
    }

    function open() {
      const made = (frame = sandbox(result, `Result: ${label}`, hear));
      if (height > 0) made.element.style.height = `${height}px`; // as before, until it tells its own
      dress(made);
      return made;
    }

    /** Waits until a frame listens: this one, or another after it. */
    async function answering() {
      for (let attempt = 1; ; ++attempt) {
        try {
          return await mine.ready;
        } catch (error) {
          if (mine !== frame || attempt === ATTEMPTS) throw error;
          mine.remove();
          say("The frame for programs does not answer; another one is opened …");
          mine = open();
        }
      }
    }

    /** @param {Record<string, unknown>} message */
    function hear({ state, words, line, height: told, ...more }) {
      if (typeof told === "number" && told >= 0) {
        height = Math.min(Math.ceil(told), TALLEST);
        mine.element.style.height = `${height}px`;
      }
      if (state === "ended") {
        rest(task ? "" : `Ended after ${seconds(performance.now() - began)}.`);
      }
      if (state === "failed") {
        const at = typeof line === "number" ? line : 0;
        const told = `${at > 0 ? `Line ${at}: ` : ""}${words}${PYTHON.test(field.value) ? IN_PYTHON : ""}`;
        fail(task ? task.failed(String(words), at) : told);
      } else task?.hear({ state, ...more });
    }
  }

  function tooLong() {
    if (!task) return say(`Still running after ${LONG} seconds; Stop ends it.`);
    stop();
    blame(task.late(LATE));
  }

  /** @param {string} words */
  function fail(words) {
    rest("");
    blame(words);
  }

  function stop() {
    frame?.remove();
    frame = undefined;
    height = 0;
    rest("Stopped.");
  }

  function dress(/** @type {Sandbox | undefined} */ to) {
    const theme = themeOf(place);
    if (to) to.element.style.colorScheme = theme.scheme; // else the frame would not be transparent
    to?.send({ theme });
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(field.value);
      say("Copied.");
    } catch {
      field.select();
      say("The browser did not allow copying. The code is selected: copy it with the keyboard.");
    }
  }

  /** Tab indents only while the reader is typing, so that the focus can always leave. */
  let typing = false;
  field.addEventListener("blur", () => (typing = false));
  field.addEventListener("input", () => {
    typing = true;
    resetButton.disabled = !isEdited();
    task?.edited(field.value);
    size();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") typing = false;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
    if (event.key === "Tab" && typing && !event.shiftKey) {
      event.preventDefault();
      document.execCommand("insertText", false, "  "); // unlike setRangeText it can be undone
    }
  });

  runButton.addEventListener("click", run);
  stopButton.addEventListener("click", stop);
  resetButton.addEventListener("click", () => {
    fill(original, where);
    task?.reset();
    blame("");
    say("The page's code is restored.");
    field.focus(); // the button itself cannot keep the focus
  });
  copyButton.addEventListener("click", copy);
  onTheme(() => dress(frame));

  stopButton.disabled = true;
  fill(code, "");
  if (task?.kept) {
    field.value = task.kept;
    resetButton.disabled = !isEdited();
    size();
  }

  return {
    show(code, elsewhere = "") {
      if (code === original) return;
      if (!isEdited()) fill(code, elsewhere);
      else {
        original = code;
        where = elsewhere;
        resetButton.disabled = !isEdited();
        say("The page's code has changed; your edits are kept. Reset shows the page's code.");
      }
    },
    run,
    get edited() {
      return isEdited();
    },
  };
}

/** @param {string} id  of the program @param {string} label */
function fieldOf(id, label) {
  return make("textarea", {
    class: "program",
    "aria-label": `Program: ${label}`,
    "aria-describedby": `${id}-wrong ${id}-hint`,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
  });
}

/** @param {readonly string[]} addresses */
async function filesOf(addresses) {
  const files = addresses.map(async (address) => [address, await bytes(address)]);
  return Object.fromEntries(await Promise.all(files));
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

// --- the theme -----------------------------------------------------------------------------------

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The theme at an element. @param {Element} element */
function themeOf(element) {
  const style = getComputedStyle(element);
  const both = style.colorScheme.includes("light") && style.colorScheme.includes("dark");
  return {
    scheme: both ? (dark.matches ? "dark" : "light") : style.colorScheme,
    colors: Object.fromEntries(COLORS.map((name) => [name, style.getPropertyValue(name).trim()])),
  };
}

/** Listens to the theme of the system and of the root element. @param {() => void} change */
function onTheme(change) {
  dark.addEventListener("change", change);
  new MutationObserver(change).observe(document.documentElement, {
    attributeFilter: ["class", "data-theme"], // others speak of the page's work, all the time
  });
}
