// Tasks on a page: the reader writes a function, the page checks what it returns.

/** @import { Phasor } from "phasor" */
/** @import { Task } from "./tasks/index.js" */
/** @import { Verdict } from "./judge.js" */
import { make } from "../dom.js";
import { PYTHON, runnable } from "../runnable.js";
import { callsOf } from "./calls.js";
import { callText, judge } from "./judge.js";
import { forget, keep, kept } from "./kept.js";
import { LANGUAGES, choose, language, onLanguage } from "./language.js";
import { DOWNLOAD, HOST } from "./python-files.js";
import * as python from "./python.js";
import { inPython, nameInPython, taskOf } from "./tasks/index.js";

/** Wrong tries after which the solution can be shown. */
const TRIES = 2;

/** Connects every `[data-task]` of the page. @param {Phasor} phasor */
export function connect(phasor) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("[data-task]")
  )) {
    connectTask(place, taskOf(place.dataset.task ?? ""), phasor);
  }
}

/** A line that only JavaScript has. */
const JAVASCRIPT = /^[ \t]*(?:(?:async )?function \w+\(|(?:const|let|var) \w+ ?=|\/\/)/m;

/** @param {HTMLElement} place @param {Task} given @param {Phasor} phasor */
function connectTask(place, given, phasor) {
  const languages = { JavaScript: given, Python: inPython(given) };
  let task = languages[language()];
  const cell = /** @type {HTMLElement} */ (place.querySelector(".cell"));
  const solved = /** @type {HTMLElement} */ (place.querySelector(".solved"));
  const verdict = make("div", { class: "judged", role: "status" });
  const help = helpOf(/** @type {HTMLElement} */ (place.querySelector(".pytorch")));
  let call = 0;
  let code = task.stub.trimEnd();
  /** The program that was a try last: the same again is none, nor is the stub. */
  let tried = code;

  function showKept() {
    const now = kept(task.name);
    solved.hidden = !now.solved;
    help.allow(now);
  }

  function missed() {
    if ([tried, task.stub.trimEnd()].includes(code.trimEnd())) return;
    tried = code.trimEnd();
    keep(task.name, { tries: kept(task.name).tries + 1 });
    showKept();
  }

  /** @param {string} words */
  const failed = (words) => (missed(), words);

  cell.replaceChildren(switchOf());
  const program = runnable(cell, {
    code: task.stub.trimEnd(),
    label: task.title,
    task: {
      kept: kept(task.name)[keyOf()] ?? "",
      after: callsOf(given.calls, given.inputs),
      engine: () => (language() === "Python" ? engineOf(task) : undefined),
      buttons: help.buttons,
      verdict,
      began() {
        call = -1;
        code = cell.querySelector("textarea")?.value ?? "";
        verdict.replaceChildren();
      },
      edited(code) {
        keep(task.name, { [keyOf()]: code });
      },
      reset() {
        forget(task.name, keyOf());
        tried = task.stub.trimEnd();
        verdict.replaceChildren();
        help.hide();
        showKept();
      },
      hear({ state, call: now, returned, missing }) {
        if (state === "calls" && task.inputs[Number(now)]) call = Number(now);
        if (state !== "returned") return;
        const made = judged(task, phasor, returned, missing);
        verdict.replaceChildren(...shown(made));
        if (made.right) {
          keep(task.name, { solved: true });
          showKept();
        } else missed();
      },
      failed: (words, line) => failed(failure(task, words, line, code, call)),
      late: (seconds) => failed(tooLate(task, seconds, call)),
    },
  });
  cell.querySelector(".buttons")?.before(noteOf());
  const rename = renamer(place);

  const speak = () => {
    rename(given);
    help.of(task);
    showKept();
  };
  onLanguage(() => {
    task = languages[language()];
    code = tried = task.stub.trimEnd();
    call = -1;
    verdict.replaceChildren();
    help.hide();
    program.change(task.stub.trimEnd(), kept(task.name)[keyOf()] ?? "");
    speak();
  });
  speak();
}

const IN_PYTHON = "np is NumPy, and vectors and tables are its arrays.";

/** What the reader of Python is told before the first check, and after it. @type {Set<() => void>} */
const notes = new Set();

function noteOf() {
  const note = make("p", { class: "note python" });
  const size = Math.round(DOWNLOAD / 1e6);
  const show = () => {
    note.hidden = language() === "JavaScript";
    note.textContent = python.isDownloaded()
      ? IN_PYTHON
      : `${IN_PYTHON} The first check downloads Python for the browser from ${HOST}: ${size} MB, once.`;
  };
  notes.add(show);
  onLanguage(show);
  show();
  return note;
}

/** Where the reader's code is kept. */
const keyOf = () => (language() === "Python" ? "python" : "code");

/** @param {Task} task @returns {import("../runnable.js").Engine} */
function engineOf({ calls, parameters, inputs }) {
  return {
    async start(say) {
      await python.start(say);
      for (const show of notes) show();
    },
    send: (code, hear) => python.send({ code, name: calls, parameters, inputs }, hear),
    end: python.end,
  };
}

/** The switch between the languages, of all cells at once. */
function switchOf() {
  const buttons = LANGUAGES.map((each) => {
    const button = make("button", { type: "button" }, each);
    button.addEventListener("click", () => choose(each));
    return button;
  });
  const show = () => {
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.textContent === language()));
    }
  };
  onLanguage(show);
  show();
  return make("p", { class: "languages", role: "group", "aria-label": "Language" }, ...buttons);
}

/** Code that no line may break, as behind the sign of -Infinity. @param {string} text */
const isShort = (text) => text.length <= 24;

/** Gives the code in a task's statement the names of the language. @param {Element} place */
function renamer(place) {
  const pieces = Array.from(place.querySelectorAll(".statement code"), (code) => ({
    code,
    text: code.textContent ?? "",
  }));
  return (/** @type {Task} */ task) => {
    for (const { code, text } of pieces) {
      code.textContent = language() === "Python" ? nameInPython(text, task) : text;
      code.classList.toggle("whole", isShort(text));
    }
  };
}

/** @param {Task} task @param {Phasor} phasor @param {unknown} returned @param {unknown} missing */
function judged(task, phasor, returned, missing) {
  return Array.isArray(returned)
    ? judge(task, phasor, returned)
    : { right: false, words: noFunction(task, String(missing)) };
}

/** @param {Task} task @param {number} seconds @param {number} call */
function tooLate(task, seconds, call) {
  const from = call < 0 ? "" : `from ${callText(task, call)} `;
  return `No answer ${from}after ${seconds} seconds. Does a loop never end?`;
}

/** @param {Task} task @param {string} missing  what it is instead */
function noFunction({ calls }, missing) {
  return missing === "undefined"
    ? `The program must define a function named ${calls}.`
    : `${calls} must be a function; got ${missing}.`;
}

/**
 * An error of the program.
 *
 * @param {Task} task @param {string} words @param {number} line  0: not known
 * @param {string} code  the reader's @param {number} call  that threw, or -1
 */
function failure(task, words, line, code, call) {
  const now = language();
  const isOther =
    words.startsWith("SyntaxError") && (now === "Python" ? JAVASCRIPT : PYTHON).test(code);
  const other = LANGUAGES.find((each) => each !== now);
  if (isOther) {
    const at = line > 0 ? `Line ${line}: ` : "";
    return `${at}${words}. Programs in this cell are in ${now}; choose ${other} above.`;
  }
  if (now === "JavaScript" && line > code.split("\n").length)
    return `A bracket or a quotation mark is not closed: ${words}.`;
  return [
    line > 0 ? `Line ${line}: ` : "",
    words,
    call < 0 ? "" : `, in ${callText(task, call)}`,
  ].join("");
}

/** @param {Verdict} verdict */
function shown({ right, words, cell, likely }) {
  const sentence = make("p", { class: "verdict", "data-right": String(right) }, words);
  if (cell) {
    const [yours, wanted] = [cell.yours, cell.right].map((text) => make("data", {}, text));
    yours.className = "yours";
    sentence.append(` ${cell.where}: yours `, yours, ", right ", wanted, ".");
  }
  return likely
    ? [sentence, make("p", { class: "likely" }, make("b", {}, "Likely: "), likely)]
    : [sentence];
}

/** The buttons that help, and what they show. @param {HTMLElement} pytorch  shown with the solution */
function helpOf(pytorch) {
  /** @type {readonly string[]} */
  let hints = [];
  const program = make("code");
  const hintButton = make("button", { type: "button" });
  const solutionButton = make("button", { type: "button" });
  const list = make("ol", { class: "hints", "aria-label": "Hints" });
  const answer = make(
    "pre",
    { class: "solution", tabindex: "0", role: "group", "aria-label": "A solution" },
    program,
  );
  let shown = 0; // hints
  let left = TRIES;
  let isOpen = false;

  function show() {
    list.replaceChildren(
      ...hints.slice(0, shown).map((hint) => {
        const item = make("li");
        item.append(...rich(hint));
        return item;
      }),
    );
    list.hidden = shown === 0;
    hintButton.disabled = shown === hints.length;
    hintButton.textContent = shown === 0 ? "Hint" : "Next hint";
    answer.hidden = pytorch.hidden = !isOpen;
    solutionButton.disabled = left > 0;
    solutionButton.setAttribute("aria-expanded", String(isOpen));
    const wait = `Solution after ${left} ${left === 1 ? "try" : "tries"}`;
    solutionButton.textContent = left > 0 ? wait : isOpen ? "Hide the solution" : "Show a solution";
  }

  hintButton.addEventListener("click", () => {
    ++shown;
    show();
  });
  solutionButton.addEventListener("click", () => {
    isOpen = !isOpen;
    show();
  });

  pytorch.before(list, answer);
  return {
    buttons: [hintButton, solutionButton],
    /** @param {import("./kept.js").Kept} kept */
    allow({ tries, solved }) {
      left = solved ? 0 : Math.max(0, TRIES - tries);
      show();
    },
    /** @param {Task} task */
    of(task) {
      hints = task.hints;
      program.textContent = task.solution.trimEnd();
    },
    hide() {
      shown = 0;
      isOpen = false;
    },
  };
}

/** Text with `<code>` in it as nodes. @param {string} html */
function rich(html) {
  return html
    .split(/<code>([^<]*)<\/code>/)
    .map((part, i) =>
      i % 2 === 0 ? part : make("code", { class: isShort(part) ? "whole" : "" }, part),
    );
}
