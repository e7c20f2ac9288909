// The lab: the record is drawn first; then the page trains the same in workers and draws over it.

/** @import { Recorded, Setup } from "./setup.js" */
/** @import { Run } from "./runs.js" */
import { busy } from "../app/busy.js";
import { follow } from "../app/controls.js";
import { copy } from "../app/copy.js";
import { byId, make } from "../app/dom.js";
import { showFailure } from "../app/errors.js";
import { save } from "../app/exports.js";
import { Bet } from "./bet.js";
import { Class } from "./class.js";
import { csvOf } from "./csv.js";
import { curvesOf, legendOf, numbersOf } from "./curves.js";
import { inside } from "./inside.js";
import { Looks } from "./looks.js";
import { panels } from "./panels.js";
import { Ruler } from "./ruler.js";
import { Runs } from "./runs.js";
import { bitsOf, estimateOf, progressOf, sizeOf } from "./said.js";
import { chosen, measureOf, positionOf, setupOf, SIZES, sizesOf, STD } from "./setup.js";
import { Surgery } from "./surgery.js";
import "./style.css";

/** What the page fetches. */
const FILES = {
  recorded: new URL("./recorded.json", import.meta.url),
  corpus: new URL("./corpus.txt", import.meta.url),
};

/** @param {keyof typeof FILES} name */
async function read(name) {
  const answer = await fetch(FILES[name]);
  if (!answer.ok) throw new Error(`The file of the lab could not be loaded (${answer.status}).`);
  return answer;
}

/** Milliseconds between two drawings while models train. */
const PACE = 100;

class Lab {
  /** Milliseconds of a step, by what it depends on. @type {Map<string, number>} */
  measured = new Map();
  began = 0;
  seconds = 0;
  isDrawing = false;
  corpus = "";
  /** The program that was made last. @type {{id: number, made: Promise<{program: string, file: Uint8Array<ArrayBuffer>}> | undefined} | undefined} */
  program;
  /** What the table shows, as text. */
  numbers = "";
  figures = panels(byId("panels"));
  showInside = inside(byId("looked"));
  surgery = new Surgery();
  class = new Class(() => this.draw());
  bet = new Bet(() => this.draw());
  ruler = new Ruler();
  looks = new Looks();
  runs = new Runs((run) => this.ran(run));
  run = /** @type {HTMLButtonElement} */ (byId("run"));

  /** @param {Recorded} recorded */
  constructor(recorded) {
    this.recorded = recorded;
    this.controls = follow((names) => this.changed(names));
    this.connect();
    this.sayRecorded();
    this.draw();
    const idle =
      globalThis.requestIdleCallback ?? ((/** @type {() => void} */ go) => setTimeout(go, 200));
    idle(() => this.measure());
  }

  get setup() {
    return setupOf(this.controls, this.recorded);
  }

  connect() {
    const { run, runs, controls } = this;
    run.addEventListener("click", () => (runs.state === "stopped" ? runs.goOn() : this.begin()));
    byId("stop").addEventListener("click", () => runs.stop());
    byId("link").addEventListener("click", () => copy(location.href, byId("copied")));
    byId("csv").addEventListener("click", () => {
      const text = csvOf(this.recorded, this.setup, runs.all);
      save(new Blob([text], { type: "text/csv" }), `lab-${controls.task}.csv`);
    });
    byId("weights").addEventListener("click", async () => {
      const { id, worker, scheme, seed } = /** @type {Run} */ (this.insideRun());
      const file = await worker?.work("save", { id });
      if (file) save(new Blob([file]), `lab-${controls.task}-${scheme}-${seed}.safetensors`);
    });
    const says = { program: "py", file: "safetensors" };
    for (const [id, part] of /** @type {const} */ ([
      ["program", "program"],
      ["reads", "file"],
    ])) {
      byId(id).addEventListener("click", async () => {
        const run = /** @type {Run} */ (this.insideRun());
        const setup = /** @type {Setup} */ (runs.setup);
        byId("copied").textContent = "Training again …";
        try {
          const content = (await this.programOf(run, setup))[part];
          save(new Blob([content]), `run-${setup.task}-${run.scheme}-${run.seed}.${says[part]}`);
          byId("copied").textContent = "";
        } catch (error) {
          byId("copied").textContent = /** @type {Error} */ (error).message;
        }
      });
    }
    run.disabled = false;
  }

  /** A training as a PyTorch program, and what it reads: made once, for two buttons. @param {Run} run @param {Setup} setup */
  async programOf({ id, scheme, seed, worker }, setup) {
    if (this.program?.id !== id) {
      const position = positionOf(this.recorded, setup, scheme);
      const given = { setup, position, seed, corpus: this.corpus };
      this.program = { id, made: worker?.work("pytorch", given) };
    }
    const made = await this.program?.made;
    if (!made) throw new Error("the model is not trained any more");
    return made;
  }

  /** The training that is shown inside, if there is one. */
  insideRun() {
    const { inside } = this.controls;
    return this.runs.all.find(({ scheme, state }) => scheme === inside && state === "done");
  }

  async begin() {
    const { controls, recorded, setup } = this;
    try {
      if (setup.task === "text") this.corpus ||= await (await read("corpus")).text();
    } catch (error) {
      byId("said").textContent = /** @type {Error} */ (error).message;
      return;
    }
    const seeds = Array.from({ length: controls.seeds }, (_, i) => controls.seed + i);
    const wanted = chosen(controls).flatMap((scheme) => {
      const position = positionOf(recorded, setup, scheme);
      return seeds.map((seed) => ({ scheme, seed, position }));
    });
    this.bet.again();
    this.began = performance.now();
    await this.runs.begin(setup, wanted, this.corpus);
  }

  /** Follows the controls. @param {readonly string[]} names */
  changed(names) {
    if (names.every((name) => name === "ruler")) return this.draw();
    const { runs, setup } = this;
    const before = runs.setup;
    const isOther = before !== undefined && trainingOf(before) !== trainingOf(setup);
    if (isOther || names.includes("seed") || names.includes("seeds")) runs.clear();
    else if (before && readingOf(before) !== readingOf(setup)) {
      runs.read(setup).then(() => this.draw());
    }
    if (names.includes("task")) this.bet.again();
    this.sayRecorded();
    this.draw();
    this.measure();
  }

  /** Follows the trainings. @param {Run | undefined} run  undefined: all of them */
  ran(run) {
    const { runs, bet } = this;
    if (!run && runs.state === "done") {
      this.seconds = (performance.now() - this.began) / 1000;
      bet.judge(runs.all, measureOf(this.setup.task));
    }
    this.draw();
  }

  /** Draws before the next frame; while models train, some frames later. */
  draw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    busy(1);
    const show = () => {
      this.isDrawing = false;
      try {
        this.show();
      } finally {
        busy(-1);
      }
    };
    setTimeout(() => requestAnimationFrame(show), this.runs.state === "goes" ? PACE : 0);
  }

  show() {
    const { recorded, setup, controls } = this;
    const { view, look } = controls;
    const names = chosen(controls);
    const isCovered = this.bet.show(names);
    const shown = { recorded, setup, names, runs: this.runs.all, isCovered };
    byId("what-there").textContent = measureOf(setup.task);
    const end = this.ruler.show(shown);
    const { axes, all } = curvesOf({ ...shown, view, ruler: end });
    this.looks.show(shown, { layer: Number(controls.layer), head: Number(controls.head), end });
    this.figures.show(axes, all);
    byId("legend").replaceChildren(...legendOf(setup, view, recorded));
    const trained = this.runs.all.map(({ isFinal, tests, bits }) => [
      isFinal && tests.map(({ loss }) => loss),
      bits,
    ]);
    const numbers = JSON.stringify([setup, names, isCovered, trained, view === "position"]);
    if (numbers !== this.numbers) byId("numbers").replaceChildren(numbersOf({ ...shown, view }));
    this.numbers = numbers;
    this.say(setup, names.length);
    const run = this.insideRun();
    for (const id of ["weights", "program", "reads"]) byId(id).toggleAttribute("disabled", !run);
    this.showInside(run, setup, Number(look));
    this.class.show(shown);
    this.surgery.show(controls.inside, this.runs.all, setup, recorded);
  }

  /** @param {Setup} setup @param {number} schemes  how many are chosen */
  say(setup, schemes) {
    const { run, runs, recorded, controls, measured } = this;
    const { state, all } = runs;
    const isOn = state === "goes" || state === "stopped";
    const steps = all.reduce((sum, { losses }) => sum + losses.length, 0);
    const progress = /** @type {HTMLProgressElement} */ (byId("progress"));
    progress.hidden = !isOn;
    progress.value = isOn ? steps / (all.length * setup.steps) : 0;
    run.hidden = state === "goes";
    run.disabled = schemes === 0;
    const words = { stopped: "Go on", done: "Run it again", rests: "Run it here", goes: "" };
    run.textContent = words[state];
    byId("stop").hidden = state !== "goes";
    const count = schemes * controls.seeds;
    const seconds = runs.secondsOf(measured.get(stepOf(setup)) ?? NaN, setup, count);
    const said = progressOf(runs, this.seconds, estimateOf(seconds, count));
    if (byId("said").textContent !== said) byId("said").textContent = said; // it is read aloud
    byId("bits").textContent = bitsOf(recorded, setup, runs);
    byId("size").textContent = sizeOf(setup, runs);
  }

  /** Measures a step, so that the page can say how long a run takes. */
  async measure() {
    const { measured, setup, runs } = this;
    const key = stepOf(setup);
    if (measured.has(key) || runs.state !== "rests") return;
    measured.set(key, NaN);
    try {
      measured.set(key, await runs.measure({ ...setup, task: "back", options: {} })); // text costs the same
    } catch {
      measured.delete(key); // a run says what is wrong
    }
    this.draw();
  }

  /** Says what "as recorded" stands for. */
  sayRecorded() {
    const { recorded, setup } = this;
    const sizes = { ...sizesOf(recorded, setup.task), std: STD };
    for (const name of /** @type {const} */ ([...SIZES, "std"])) {
      const select = /** @type {HTMLSelectElement} */ (byId(name));
      select.options[0].textContent = `${sizes[name]} (as recorded)`;
    }
    const command = make("code", { class: "command" }, recorded.command);
    byId("recorded").replaceChildren(`The record: ${recorded.date}, by `, command, ".");
  }
}

/** What decides over the weights, as text. @param {Setup} setup */
function trainingOf({ task, length, steps, dim, heads, layers, std, factor }) {
  const rows = Math.max(512, length * factor);
  return JSON.stringify([task, length, steps, dim, heads, layers, std, rows]);
}

/** How models are read, as text. @param {Setup} setup */
function readingOf({ factor, reading, temperature }) {
  return JSON.stringify([factor, reading, temperature]);
}

/** What the time of a step depends on, as text. @param {Setup} setup */
function stepOf({ length, dim, heads, layers }) {
  return JSON.stringify([length, dim, heads, layers]);
}

busy(1);
try {
  new Lab(await (await read("recorded")).json());
} catch (error) {
  showFailure(error);
} finally {
  busy(-1);
}
