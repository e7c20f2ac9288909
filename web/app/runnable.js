/** @import { Sandbox } from "./sandbox.js" */
import { toClipboard } from "./copy.js";
import { make } from "./dom.js";
import { bytes, modulesOf } from "./packages.js";
import "./runnable.css";
import { sandbox } from "./sandbox.js";
import { standalone } from "./standalone.js";

/** Seconds after which the page says that a program still runs, or ends a task's. */
const LONG = 10;
const LATE = 5;

/** How often a frame is requested: the browser may put one into a process that hangs since the last program. */
const ATTEMPTS = 3;

/** The maximal height of a frame, px. */
const TALLEST = 20_000;

/** The most heights between two frames of the screen: thousands keep the page from anything else. */
const MOST_HEIGHTS = 1000;

/** The most lines, and characters of a line, that an engine's program prints. */
export const PRINTED = { lines: 200, characters: 1000 };

/** A line that only Python has, and what to do with it. */
export const PYTHON =
  /^[ \t]*(?:import [\w.]+(?: as \w+)?[ \t]*$|from [\w.]+ import .|def \w+\(.*:[ \t]*$)/m;
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
 * @property {(code: string, kept: string) => void} change  shows another program, as the reader left it
 */

/**
 * What makes a program a task: code runs after the reader's, and the page judges what that code reports.
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
 * @property {() => Engine | undefined} engine  what runs the program, if not a frame of its run
 */

/**
 * What runs programs of another language.
 *
 * @typedef {object} Engine
 * @property {(say: (words: string) => void) => Promise<void>} start  resolves when it can run a program
 * @property {(code: string, hear: (message: Record<string, unknown>) => void) => void} send
 * @property {() => void} end  ends it, and its program
 */

/**
 * A program on the page: its elements and its state.
 *
 * @typedef {object} Program
 * @property {Element} place
 * @property {string} label
 * @property {readonly string[]} data
 * @property {Task | undefined} task
 * @property {ReturnType<typeof partsOf>} parts
 * @property {string} original  the page's code
 * @property {string} elsewhere  why it does not run here, if so
 * @property {Sandbox | undefined} frame
 * @property {(Run & { end(): void }) | undefined} turn  the run of an engine
 * @property {ReturnType<typeof setTimeout> | undefined} long  tells when it runs for long
 * @property {number} height  of the frame, px; 0 until it tells it
 * @property {number | undefined} resizing  of the frame of the screen in which it gets that height
 * @property {number} heights  told since the last frame of the screen
 * @property {number} lines  that the run of an engine has printed
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
  const parts = partsOf(label, task);
  place.append(groupOf(label, parts, task));
  /** @type {Program} */
  const program = {
    place,
    label,
    data,
    task,
    parts,
    original: code,
    elsewhere: "",
    frame: undefined,
    turn: undefined,
    long: undefined,
    height: 0,
    resizing: undefined,
    heights: 0,
    lines: 0,
  };
  listen(program);
  parts.stopButton.disabled = true;
  change(program, code, task?.kept ?? "");
  return {
    show: (code, elsewhere = "") => show(program, code, elsewhere),
    run: () => run(program),
    get edited() {
      return isEdited(program);
    },
    change(code, kept) {
      stop(program);
      change(program, code, kept);
      blame(program, "");
      say(program, "");
    },
  };
}

// --- the elements --------------------------------------------------------------------------------

/** @param {Task | undefined} task */
const verbOf = (task) => (task ? "Check" : "Run");

/** @param {string} label @param {Task | undefined} task */
function partsOf(label, task) {
  const id = `program-${++count}`;
  const names = [verbOf(task), "Stop", "Reset", "Copy"];
  const [runButton, stopButton, resetButton, copyButton] = names.map((name) =>
    make("button", { type: "button" }, name),
  );
  return {
    field: fieldOf(id, label),
    runButton,
    stopButton,
    resetButton,
    copyButton,
    status: make("p", { class: "note run-status", role: "status" }),
    wrong: make("p", { class: "wrong", id: `${id}-wrong`, "aria-live": "polite" }),
    hint: make("p", { class: "note hint", id: `${id}-hint` }),
    result: make("div", { class: "result" }),
  };
}

/** @param {string} label @param {ReturnType<typeof partsOf>} parts @param {Task | undefined} task */
function groupOf(label, { field, status, wrong, hint, result, ...buttons }, task) {
  const { runButton, stopButton, resetButton, copyButton } = buttons;
  return make(
    "div",
    { class: "runnable", role: "group", "aria-label": label },
    field,
    hint,
    make(
      "p",
      { class: "buttons" },
      runButton,
      stopButton,
      ...(task ? [...task.buttons, resetButton] : [resetButton, copyButton]),
    ),
    ...(task ? [task.verdict] : []),
    wrong,
    status,
    result,
  );
}

// --- the code ------------------------------------------------------------------------------------

/** @param {Program} program */
const isEdited = ({ parts, original }) => parts.field.value !== original;

/** @param {Program} program @param {string} code @param {string} elsewhere */
function fill(program, code, elsewhere) {
  const { field, runButton, stopButton, resetButton, hint } = program.parts;
  program.original = field.value = code;
  program.elsewhere = elsewhere;
  resetButton.disabled = true;
  size(program);
  for (const button of [runButton, stopButton]) button.hidden = elsewhere !== "";
  const verb = verbOf(program.task).toLowerCase();
  const first = elsewhere || `Edit the code and ${verb} it with Ctrl+Enter.`;
  hint.textContent = `${first} While you type, Tab indents; press Escape, then Tab, to leave.`;
  if (elsewhere && program.frame) stop(program);
}

/** Shows a program, as the reader left it. @param {Program} program @param {string} code @param {string} kept */
function change(program, code, kept) {
  const { field, resetButton } = program.parts;
  fill(program, code, "");
  if (!kept) return;
  field.value = kept;
  resetButton.disabled = !isEdited(program);
  size(program);
}

/** Shows code after the settings have changed. @param {Program} program @param {string} code @param {string} elsewhere */
function show(program, code, elsewhere) {
  if (code === program.original) return;
  if (!isEdited(program)) return fill(program, code, elsewhere);
  program.original = code;
  program.elsewhere = elsewhere;
  program.parts.resetButton.disabled = !isEdited(program);
  say(program, "The page's code has changed; your edits are kept. Reset shows the page's code.");
}

/** Sets the number of lines where the browser does not fit the height. @param {Program} program */
function size({ parts: { field } }) {
  field.rows = field.value.split("\n").length;
}

/** @param {Program} program */
function reset(program) {
  fill(program, program.original, program.elsewhere);
  program.task?.reset();
  blame(program, "");
  say(program, "The page's code is restored.");
  program.parts.field.focus(); // the button itself cannot keep the focus
}

/** @param {Program} program */
async function copy(program) {
  const { field } = program.parts;
  if (await toClipboard(standalone(field.value))) return say(program, "Copied.");
  field.select();
  const how = "The code is selected: copy it with the keyboard.";
  say(program, `The browser did not allow copying. ${how}`);
}

/** @param {Program} program */
function listen(program) {
  const { field, runButton, stopButton, resetButton, copyButton } = program.parts;
  let typing = false; // Tab indents only while the reader is typing, so that the focus can always leave
  field.addEventListener("blur", () => (typing = false));
  field.addEventListener("input", () => {
    typing = true;
    resetButton.disabled = !isEdited(program);
    program.task?.edited(field.value);
    size(program);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") typing = false;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run(program);
    }
    if (event.key === "Tab" && typing && !event.shiftKey) {
      event.preventDefault();
      const indent = program.task?.engine() ? "    " : "  ";
      document.execCommand("insertText", false, indent); // unlike setRangeText it can be undone
    }
  });
  runButton.addEventListener("click", () => run(program));
  stopButton.addEventListener("click", () => stop(program));
  resetButton.addEventListener("click", () => reset(program));
  copyButton.addEventListener("click", () => copy(program));
  onTheme(() => dress(program, program.frame));
}

// --- a run ---------------------------------------------------------------------------------------

/** @param {Program} program @param {string} words */
function say({ parts }, words) {
  parts.status.textContent = words;
}

/** Ends the program. @param {Program} program @param {string} words */
function rest(program, words) {
  clearTimeout(program.long);
  program.parts.stopButton.disabled = true;
  say(program, words);
}

/** @param {Program} program @param {string} words */
function blame({ parts: { wrong, field } }, words) {
  wrong.textContent = words;
  field.setAttribute("aria-invalid", String(words !== ""));
}

/** @param {Program} program @param {string} words */
function fail(program, words) {
  rest(program, "");
  blame(program, words);
}

/** @param {Program} program */
function stop(program) {
  program.frame?.remove();
  program.frame = undefined;
  program.turn?.end();
  program.turn = undefined;
  program.height = 0;
  rest(program, "Stopped.");
}

/** @param {Program} program */
function tooLong(program) {
  const { task } = program;
  if (!task) return say(program, `Still running after ${LONG} seconds; Stop ends it.`);
  stop(program);
  blame(program, task.late(LATE));
}

/** @param {Program} program @param {Sandbox | undefined} to */
function dress({ place }, to) {
  const theme = themeOf(place);
  if (to) to.element.style.colorScheme = theme.scheme; // else the frame would not be transparent
  to?.send({ theme });
}

/**
 * One run: another frame takes the place of its frame as long as none has answered.
 * @typedef {{began: number}} Run
 * @typedef {Run & {frame: Sandbox}} FrameRun
 */

/** @param {Program} program */
async function run(program) {
  const { parts, data, task } = program;
  if (parts.runButton.hidden) return;
  program.frame?.remove();
  clearTimeout(program.long);
  blame(program, "");
  say(program, task ? "Checking …" : "Running …");
  task?.began();
  parts.stopButton.disabled = false;
  parts.result.replaceChildren();
  const engine = task?.engine();
  if (engine) return runBy(program, engine);
  const began = performance.now();
  const needed = Promise.all([modulesOf(parts.field.value), filesOf(data)]);
  needed.catch(() => {}); // it is awaited after the frame
  /** @type {FrameRun} */
  const mine = { began, frame: open(program, (message) => hear(program, mine, message)) };
  try {
    await answering(program, mine);
    const [modules, files] = await needed;
    if (mine.frame !== program.frame) return; // stopped meanwhile, or run anew
    program.long = setTimeout(() => tooLong(program), (task ? LATE : LONG) * 1000);
    dress(program, mine.frame);
    const code = parts.field.value + (task?.after ?? "");
    mine.frame.send({ program: { code, modules, files } });
  } catch (error) {
    if (mine.frame === program.frame) fail(program, /** @type {Error} */ (error).message);
  }
}

/** @param {Program} program @param {Engine} engine */
async function runBy(program, engine) {
  program.lines = 0;
  const mine = (program.turn = { began: performance.now(), end: engine.end });
  const isMine = () => mine === program.turn;
  try {
    await engine.start((words) => isMine() && say(program, words));
    if (!isMine()) return; // stopped meanwhile, or run anew
    say(program, "Checking …");
    program.long = setTimeout(() => tooLong(program), LATE * 1000);
    engine.send(program.parts.field.value, (message) => isMine() && hear(program, mine, message));
  } catch (error) {
    if (isMine()) fail(program, /** @type {Error} */ (error).message);
  }
}

/** Opens a frame for a run. @param {Program} program @param {(message: Record<string, unknown>) => void} hear */
function open(program, hear) {
  const { parts, label, height } = program;
  const made = (program.frame = sandbox(parts.result, `Result: ${label}`, hear));
  if (height > 0) made.element.style.height = `${height}px`; // as before, until it tells its own
  dress(program, made);
  return made;
}

/** Waits until a frame listens: this one, or another after it. @param {Program} program @param {FrameRun} mine */
async function answering(program, mine) {
  for (let attempt = 1; ; ++attempt) {
    try {
      return await mine.frame.ready;
    } catch (error) {
      if (mine.frame !== program.frame || attempt === ATTEMPTS) throw error;
      mine.frame.remove();
      say(program, "The frame for programs does not answer; another one is opened …");
      mine.frame = open(program, (message) => hear(program, mine, message));
    }
  }
}

/** @param {Program} program @param {Run} mine @param {Record<string, unknown>} message */
function hear(program, mine, { state, words, line, height, printed, ...more }) {
  const { task, parts } = program;
  if (typeof printed === "string") print(program, mine, printed);
  if (typeof height === "number" && height >= 0) {
    // Once for each frame of the screen; the frame tells no more by itself.
    program.resizing ??= requestAnimationFrame(() => {
      [program.resizing, program.heights] = [undefined, 0];
      if (program.frame) program.frame.element.style.height = `${program.height}px`;
    });
    program.height = Math.min(Math.ceil(height), TALLEST);
    if (++program.heights > MOST_HEIGHTS) {
      stop(program);
      return blame(program, "The program is stopped: it posts too many heights of its frame.");
    }
  }
  if (state === "ended") {
    program.turn = undefined;
    rest(program, task ? "" : `Ended after ${seconds(performance.now() - mine.began)}.`);
  }
  if (state === "failed") {
    const at = typeof line === "number" ? line : 0;
    const hint = PYTHON.test(parts.field.value) ? IN_PYTHON : "";
    const full = `${at > 0 ? `Line ${at}: ` : ""}${words}${hint}`;
    fail(program, task ? task.failed(String(words), at) : full);
  } else task?.hear({ state, ...more });
}

/**
 * Prints a line of an engine's program: a program in a frame prints there.
 * @param {Program} program @param {Run} mine @param {string} line
 */
function print(program, mine, line) {
  if (mine !== program.turn || program.lines++ >= PRINTED.lines) return;
  const shown = line.slice(0, PRINTED.characters);
  program.parts.result.append(make("pre", { tabindex: "0" }, shown));
}

// --- what it is made of --------------------------------------------------------------------------

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
