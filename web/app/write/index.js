// Tasks on a page: the reader writes a function, the page checks what it returns.

/** @import { Phasor } from "phasor" */
/** @import { Task } from "./tasks/index.js" */
/** @import { Verdict } from "./judge.js" */
import { make } from "../dom.js";
import { runnable } from "../runnable.js";
import { callsOf } from "./calls.js";
import { callText, judge } from "./judge.js";
import { forget, keep, kept } from "./kept.js";
import { taskOf } from "./tasks/index.js";

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

/** @param {HTMLElement} place @param {Task} task @param {Phasor} phasor */
function connectTask(place, task, phasor) {
  const cell = /** @type {HTMLElement} */ (place.querySelector(".cell"));
  const solved = /** @type {HTMLElement} */ (place.querySelector(".solved"));
  const verdict = make("div", { class: "judged", role: "status" });
  const help = helpOf(task);
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
  const failed = (words) => {
    missed();
    return words;
  };

  cell.replaceChildren();
  runnable(cell, {
    code: task.stub.trimEnd(),
    label: task.title,
    task: {
      kept: kept(task.name).code ?? "",
      after: callsOf(task.calls, task.inputs),
      buttons: help.buttons,
      verdict,
      began() {
        call = -1;
        code = cell.querySelector("textarea")?.value ?? "";
        verdict.replaceChildren();
      },
      edited(code) {
        keep(task.name, { code });
      },
      reset() {
        forget(task.name);
        tried = task.stub.trimEnd();
        verdict.replaceChildren();
        help.hide();
        showKept();
      },
      hear({ state, call: now, returned, missing }) {
        if (state === "calls" && task.inputs[Number(now)]) call = Number(now);
        if (state !== "returned") return;
        const made = Array.isArray(returned)
          ? judge(task, phasor, returned)
          : { right: false, words: noFunction(task, String(missing)) };
        verdict.replaceChildren(...shown(made));
        if (made.right) {
          keep(task.name, { solved: true });
          showKept();
        } else missed();
      },
      failed: (words, line) => failed(failure(task, words, line, code.split("\n").length, call)),
      late: (seconds) =>
        failed(
          `No answer ${call < 0 ? "" : `from ${callText(task, call)} `}after ${seconds} seconds. Does a loop never end?`,
        ),
    },
  });
  place.querySelector(".help")?.replaceChildren(...help.shown);
  showKept();
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
 * @param {number} lines  of the reader's code @param {number} call  that threw, or -1
 */
function failure(task, words, line, lines, call) {
  if (line > lines) return `A bracket or a quotation mark is not closed: ${words}.`;
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

/** The buttons that help, and what they show. @param {Task} task */
function helpOf({ hints, solution }) {
  const hintButton = make("button", { type: "button" });
  const solutionButton = make("button", { type: "button" });
  const list = make("ol", { class: "hints", "aria-label": "Hints" });
  const answer = make(
    "pre",
    { class: "solution", tabindex: "0", role: "group", "aria-label": "A solution" },
    make("code", {}, solution.trimEnd()),
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
    answer.hidden = !isOpen;
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

  return {
    shown: [list, answer],
    buttons: [hintButton, solutionButton],
    /** @param {import("./kept.js").Kept} kept */
    allow({ tries, solved }) {
      left = solved ? 0 : Math.max(0, TRIES - tries);
      show();
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
    .split(/<code>(.*?)<\/code>/)
    .map((part, i) => (i % 2 === 0 ? part : make("code", {}, part)));
}
