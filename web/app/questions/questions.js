// The questions of a page: `form[data-question]`.

/** @import { Values } from "../controls.js" */
/** @import { Kept } from "./kept.js" */
/** @import { CurveJudgement, Drawn, Judgement, Verdict } from "./verdict.js" */
/** @import { Quantity } from "../read-number.js" */
/** @import { Sorted } from "./sort.js" */
import { make } from "../dom.js";
import { asSentence } from "../errors.js";
import { mode } from "../lecture/mode.js";
import { readQuantity } from "../read-number.js";
import { drawing } from "./draw.js";
import { counted, forget, keep, keptOf } from "./kept.js";
import { leversOf } from "./levers.js";
import "./questions.css";
import { rail } from "./rail.js";
import { sorting } from "./sort.js";
import { numberOf } from "./units.js";
import { covers } from "./covers.js";
import { verdictOf } from "./verdict.js";

/** How many answers an exercise takes before it shows the solution; a prediction takes one. */
const TRIES = 2;

const AGAIN = "Check each step, and try once more: the next answer shows the solution.";

/**
 * @typedef {object} Site
 * @property {(name: string, uses: Set<string>) => Judgement | Promise<Judgement>} judge  computes the answer of a question,
 *   and adds to `uses` what it reads
 * @property {(name: string) => Iterable<string>} shownBy  names of what the figures that wait for a question have read
 * @property {Values} controls  current values
 * @property {(name: string, guess: unknown) => void} guessed  called with the reader's answer when it is judged: a value, a
 *   number or [x, y] points; undefined when the answer is forgotten
 */

/**
 * Connects the questions of the page. The page computes an answer only after the reader has answered.
 *
 * @param {Site} site
 */
export function questions(site) {
  const forms = /** @type {HTMLFormElement[]} */ ([
    ...document.querySelectorAll("form[data-question]"),
  ]);
  const all = forms.map((form) => question(form, { ...site, keep: keepAnswer }));
  const panel = forms.length > 0 ? answersPanel(forms, reset) : () => {};

  /** @param {string} name @param {Kept} kept */
  function keepAnswer(name, kept) {
    keep(name, kept, forms.length);
    panel();
  }

  function reset() {
    forget();
    for (const each of all) each.reset();
    panel();
  }

  return {
    /** Removes the verdicts that have read one of these. @param {readonly string[]} names */
    touch(names) {
      for (const each of all) each.touch(names);
    },

    /** Removes every verdict. */
    forget() {
      for (const each of all) each.forget();
    },

    /** Shows the verdicts on the answers that were kept, where the settings are the same. */
    async restore() {
      for (const each of all) await each.restore();
    },
  };
}

/** What is kept of a question that nobody has answered. @type {Readonly<Kept>} */
const NONE = Object.freeze({
  answer: "",
  tries: 0,
  wrong: 0,
  right: false,
  first: false,
  shown: false,
  settings: {},
  time: "",
});

/** @param {HTMLFormElement} form @param {Site & { keep(name: string, kept: Kept): void }} site */
function question(form, { judge, controls, guessed, keep, shownBy }) {
  const name = form.dataset.question ?? "";
  const ask = /** @type {HTMLButtonElement} */ (form.querySelector(".ask"));
  const outcome = outcomeOf(form);
  const field = fieldOf(form);
  const lastTry = form.dataset.kind === "exercise" ? TRIES : 1;
  const waiting = covers(name, () => save({ shown: true }));

  let kept = { ...NONE, ...keptOf().answers[name] };
  /** What the judge has read. @type {Set<string>} */
  let uses = new Set();
  /** The answer that was judged last with these settings, and what shows its verdict again. */
  let judged = { text: "", show: () => {} };
  let asked = 0;

  /** @param {Partial<Kept>} changed */
  function save(changed) {
    kept = { ...kept, ...changed, time: new Date().toISOString() };
    keep(name, kept);
  }

  function forgetVerdict() {
    ++asked;
    kept.wrong = 0;
    judged = { text: "", show: () => {} };
    outcome.clear();
  }

  /** Those of some names that are controls. @param {Iterable<string>} names */
  const controlsOf = (names) => [...new Set(names)].filter((each) => Object.hasOwn(controls, each));

  /** The settings that the judge has read. */
  const settings = () => Object.fromEntries(controlsOf(uses).map((each) => [each, controls[each]]));

  /**
   * Judges the answer in the form and says the verdict.
   *
   * @param {string} text  the answer
   * @param {number} wrong  how many wrong answers came before it
   * @returns {Promise<Verdict | undefined>} undefined if there is none
   */
  async function check(text, wrong) {
    const answer = field.read(text);
    if (answer === undefined) return void outcome.note("That is not a number yet.");
    outcome.note("Computing …");
    const own = ++asked;
    uses = new Set();
    try {
      const judgement = await judge(name, uses);
      if (own !== asked) return undefined; // another answer, or another thing to judge
      const { unit } = field;
      const verdict = verdictOf(answer, judgement, { unit, isLast: wrong + 1 >= lastTry });
      const show = () => {
        field.reveal(judgement);
        outcome.show(verdict, text, controlsOf([...uses, ...shownBy(name)]));
      };
      judged = { text, show };
      if (verdict.done) {
        waiting.after();
        guessed(name, field.guess(answer));
      }
      show();
      return verdict;
    } catch (error) {
      if (own === asked) {
        const { message } = /** @type {Error} */ (error);
        outcome.note(asSentence(`CANNOT CHECK this answer: ${message}`));
      }
      return undefined;
    }
  }

  form.addEventListener("input", () => {
    ++asked;
    ask.disabled = given(form) === "";
    outcome.edited();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = given(form);
    if (text === "") return;
    if (text === judged.text) return judged.show(); // the same answer costs no try
    const verdict = await check(text, kept.wrong);
    if (!verdict) return;
    const { right, done } = verdict;
    if (done) waiting.open(false);
    save({
      answer: text,
      tries: kept.tries + 1,
      wrong: kept.wrong + (right ? 0 : 1),
      right,
      first: kept.tries === 0 ? right && !kept.shown : kept.first,
      settings: settings(),
    });
  });
  form.addEventListener("keydown", (event) => chooseByKey(form, event));

  if (kept.answer !== "") field.put(kept.answer);
  const wasDone = kept.tries > 0 && (kept.right || kept.wrong >= lastTry);
  if (wasDone || kept.shown) waiting.open(true);
  if (wasDone) {
    waiting.after();
    const answer = field.read(kept.answer);
    if (answer !== undefined) guessed(name, field.guess(answer));
  }
  ask.disabled = given(form) === ""; // a browser may remember what was chosen

  return {
    forget: forgetVerdict,

    /** @param {readonly string[]} names */
    touch(names) {
      if (names.some((each) => uses.has(each))) forgetVerdict();
    },

    reset() {
      kept = { ...NONE };
      forgetVerdict();
      form.reset();
      field.put("");
      ask.disabled = true;
      waiting.close();
      guessed(name, undefined);
    },

    async restore() {
      const isSame = Object.entries(kept.settings).every(
        ([each, value]) => controls[each] === value,
      );
      if (!isSame) kept.wrong = 0;
      if (kept.tries === 0 || !isSame || given(form) !== kept.answer) return;
      await check(kept.answer, kept.right ? kept.wrong : Math.max(0, kept.wrong - 1));
      if (judged.text === "") outcome.clear(); // what it was computed from is not there any more
    },
  };
}

/** The answer of the reader; empty without one. @param {HTMLFormElement} form */
function given(form) {
  return String(new FormData(form).get("answer") ?? "").trim();
}

/**
 * How a form takes its answer.
 *
 * @typedef {object} Field
 * @property {string} unit  "" without one
 * @property {(text: string) => string | Quantity | Drawn | Sorted | undefined} read  undefined for text that is not an answer
 * @property {(answer: any) => unknown} guess  the answer as plain data
 * @property {(text: string) => void} put
 * @property {(judgement: any) => void} reveal  shows the computed answer in the field
 */

/** @param {HTMLFormElement} form @returns {Field} */
function fieldOf(form) {
  const reveal = () => {};
  const place = form.querySelector(".draw");
  if (place) {
    const drawn = drawing(/** @type {HTMLElement} */ (place));
    const guess = (/** @type {Drawn} */ { points }) => points;
    const show = (/** @type {CurveJudgement} */ { curve }) => drawn.reveal(curve);
    return { read: drawn.read, put: (text) => drawn.put(text), unit: "", guess, reveal: show };
  }
  const sort = form.querySelector(".sort");
  if (sort) {
    const sorted = sorting(/** @type {HTMLElement} */ (sort));
    return { ...sorted, put: (text) => sorted.put(text), unit: "", guess: (groups) => groups };
  }
  const number = /** @type {HTMLInputElement | null} */ (form.querySelector("input[data-number]"));
  if (number) {
    const { unit = "" } = number.dataset;
    const guess = (/** @type {Quantity} */ quantity) => numberOf(quantity, unit);
    return { unit, read: readQuantity, guess, put: (text) => (number.value = text), reveal };
  }
  const put = (/** @type {string} */ text) => {
    for (const option of radios(form)) option.checked = option.value === text;
  };
  return { unit: "", read: (text) => text, guess: (value) => value, put, reveal };
}

/** @param {HTMLFormElement} form @returns {HTMLInputElement[]} */
function radios(form) {
  return [...form.querySelectorAll("input[type=radio]")].map(
    (each) => /** @type {HTMLInputElement} */ (each),
  );
}

/** The keys 1, 2, ... choose an option. @param {HTMLFormElement} form @param {KeyboardEvent} event */
function chooseByKey(form, event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const option = radios(form)[Number(event.key) - 1];
  if (!option) return;
  option.click();
  option.focus();
}

/** What a form says about the answer. @param {HTMLFormElement} form */
function outcomeOf(form) {
  const verdict = /** @type {HTMLElement} */ (form.querySelector(".verdict"));
  const place = /** @type {HTMLElement} */ (form.querySelector(".outcome"));
  const hint = /** @type {HTMLElement | null} */ (form.querySelector(".hint"));
  const solution = make("p", { class: "solution" });
  const others = make("details", { class: "others" }, make("summary", {}, "Why not the others?"));
  const list = make("ul");
  others.append(list);
  if (hint) place.append(hint);
  place.append(solution);
  place.after(others);
  const lead = leversOf(form);
  const options = radios(form);
  const legend = form.querySelector("legend");
  if (options.length > 1 && legend) legend.dataset.keys = `Keys 1 to ${options.length}`;

  /** @param {string} value */
  const letterOf = (value) =>
    String.fromCharCode(65 + options.findIndex((option) => option.value === value));
  /** @param {(option: HTMLInputElement) => string | undefined} markOf */
  function mark(markOf) {
    for (const option of options) {
      const label = /** @type {HTMLElement} */ (option.closest("label"));
      const kind = markOf(option);
      if (kind) label.dataset.mark = kind;
      else delete label.dataset.mark;
    }
  }

  /** Says something that is no verdict. @param {string} words */
  function note(words) {
    delete verdict.dataset.right;
    delete verdict.dataset.open;
    verdict.textContent = words;
    solution.textContent = "";
    lead([]);
    others.hidden = true;
    others.open = false;
    list.replaceChildren();
    mark(() => undefined);
  }
  function clear() {
    note("");
    if (hint) hint.hidden = true;
  }
  clear();

  return {
    note,
    clear,

    /** The reader changes the answer: what helps with the next try stays. */
    edited() {
      if (verdict.dataset.open === undefined) clear();
      else delete verdict.dataset.right;
    },

    /** @param {Verdict} result @param {string} answer @param {readonly string[]} controls  that it is about */
    show(result, answer, controls) {
      clear();
      if (result.done && mode === "read") lead(controls);
      verdict.dataset.right = String(result.right);
      if (!result.done) verdict.dataset.open = "";
      verdict.textContent = [result.words, result.hint && !hint ? AGAIN : ""].join(" ").trim();
      if (hint) hint.hidden = !result.hint;
      if (result.solution) {
        const { value, words } = result.solution;
        solution.textContent = `The answer is ${letterOf(value)}. ${words}`.trim();
      }
      others.hidden = result.others.length === 0;
      list.append(
        ...result.others.map(({ value, words }) =>
          make("li", {}, make("b", {}, `${letterOf(value)}.`), ` ${words}`),
        ),
      );
      const right = result.right ? answer : result.solution?.value;
      mark(({ value }) =>
        value === right ? "right" : value === answer && !result.right ? "wrong" : undefined,
      );
    },
  };
}

/**
 * The state of the page's answers, and the button that resets them, at the end of the page; and a dot for each.
 *
 * @param {readonly HTMLFormElement[]} forms  of the questions
 * @param {() => void} reset
 * @returns {() => void} shows the state
 */
function answersPanel(forms, reset) {
  const of = forms.length;
  const words = make("p", { role: "status", tabindex: -1 });
  const button = make("button", { type: "button" }, "Reset answers");
  button.addEventListener("click", () => {
    reset();
    words.focus(); // the button itself cannot keep the focus
  });
  const panel = make("div", { class: "answers" }, words, button);
  const next = document.querySelector("main > .neighbors");
  if (next) next.before(panel);
  else document.querySelector("main")?.append(panel);
  const showDots = mode === "read" ? rail(forms) : () => {};
  const show = () => {
    const { answers } = keptOf();
    showDots(answers);
    const { answered, first } = counted(of, answers);
    words.textContent = `${answered} of ${of} answered, ${first} right on the first try`;
    button.disabled = Object.keys(answers).length === 0;
  };
  show();
  return show;
}
