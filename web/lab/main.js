// The lab: the record is drawn first; then the page trains the same in workers and draws over it.

/** @import { Recorded, SchemeName, Setup } from "./setup.js" */
/** @import { Run } from "./runs.js" */
import { busy } from "../app/busy.js";
import { follow } from "../app/controls.js";
import { copy } from "../app/copy.js";
import { byId } from "../app/dom.js";
import { showFailure } from "../app/errors.js";
import { save } from "../app/exports.js";
import { bet } from "./bet.js";
import { csvOf } from "./csv.js";
import { curvesOf, legendOf, numbersOf } from "./curves.js";
import { inside } from "./inside.js";
import { panels } from "./panels.js";
import { Runs } from "./runs.js";
import { chosen, measureOf, positionOf, rowOf, setupOf, SIZES, sizesOf, STD } from "./setup.js";
import "./style.css";

/** Seconds of a run from which the page says that it is long. */
const LONG = 30;

busy(1);
start()
  .catch(showFailure)
  .finally(() => busy(-1));

async function start() {
  const recorded = /** @type {Recorded} */ (await read("./recorded.json", "json"));
  const controls = follow(changed);
  const runs = new Runs(ran);
  const figures = panels(byId("panels"));
  const bets = bet(draw);
  const showInside = inside(byId("inside"));
  /** Milliseconds of a step, by what it depends on. @type {Map<string, number>} */
  const measured = new Map();
  let began = 0;
  let seconds = 0;
  let drawing = 0;
  let corpus = "";

  const run = /** @type {HTMLButtonElement} */ (byId("run"));
  run.addEventListener("click", () => (runs.state === "stopped" ? runs.goOn() : begin()));
  byId("stop").addEventListener("click", () => runs.stop());
  byId("link").addEventListener("click", () => copy(location.href, byId("copied")));
  byId("csv").addEventListener("click", () => {
    const text = csvOf(recorded, setup(), runs.all);
    save(new Blob([text], { type: "text/csv" }), `lab-${controls.task}.csv`);
  });
  byId("weights").addEventListener("click", async () => {
    const { id, worker, scheme, seed } = /** @type {Run} */ (insideRun());
    const file = await worker?.work("save", { id });
    if (file) save(new Blob([file]), `lab-${controls.task}-${scheme}-${seed}.safetensors`);
  });
  run.disabled = false;
  sayRecorded();
  draw();
  performance.mark("interactive");
  const idle =
    globalThis.requestIdleCallback ?? ((/** @type {() => void} */ go) => setTimeout(go, 200));
  idle(() => measure());

  function setup() {
    return setupOf(controls, recorded);
  }

  /** The first training that is shown inside. */
  function insideRun() {
    return runs.all.find(({ scheme, state }) => scheme === controls.inside && state === "done");
  }

  async function begin() {
    const what = setup();
    if (what.task === "text")
      corpus ||= await /** @type {Promise<string>} */ (read("./corpus.txt", "text"));
    const seeds = Array.from({ length: controls.seeds }, (_, i) => controls.seed + i);
    const wanted = chosen(controls).flatMap((scheme) => {
      const position = positionOf(recorded, what, scheme);
      return seeds.map((seed) => ({ scheme, seed, position }));
    });
    bets.again();
    began = performance.now();
    await runs.begin(what, wanted, corpus);
  }

  /** Follows the controls. @param {readonly string[]} names */
  function changed(names) {
    const what = setup();
    const before = runs.setup;
    if (names.some((name) => ["seed", "seeds"].includes(name))) runs.clear();
    else if (before && trainingOf(before) !== trainingOf(what)) runs.clear();
    else if (before && readingOf(before) !== readingOf(what)) runs.read(what).then(draw);
    if (names.includes("task")) bets.again();
    sayRecorded();
    draw();
    measure();
  }

  /** Follows the runs. @param {Run | undefined} one */
  function ran(one) {
    if (!one && runs.state === "done") {
      seconds = (performance.now() - began) / 1000;
      const measure = measureOf(setup().task);
      bets.judge(runs.all, measure);
    }
    draw();
  }

  /** Draws before the next frame. */
  function draw() {
    if (drawing) return;
    busy(1);
    drawing = requestAnimationFrame(() => {
      drawing = 0;
      try {
        show();
      } finally {
        busy(-1);
      }
    });
  }

  function show() {
    const what = setup();
    const names = chosen(controls);
    const isCovered = bets.show(names);
    const { axes, all } = curvesOf({
      recorded,
      setup: what,
      names,
      runs: runs.all,
      view: controls.view,
      isCovered,
    });
    figures.show(axes, all);
    byId("legend").textContent = legendOf(what, controls.view, recorded);
    byId("numbers").replaceChildren(
      numbersOf({ recorded, setup: what, names, runs: runs.all, isCovered }),
    );
    say(what, names);
    const isReady = insideRun() !== undefined;
    byId("weights").toggleAttribute("disabled", !isReady);
    showInside(insideRun(), what, Number(controls.look));
  }

  /** @param {Setup} what @param {readonly SchemeName[]} names */
  function say(what, names) {
    const { state, all } = runs;
    const done = all.filter((one) => one.state === "done" || one.state === "failed").length;
    const steps = all.reduce((sum, { losses }) => sum + losses.length, 0);
    const isOn = state === "goes" || state === "stopped";
    const progress = /** @type {HTMLProgressElement} */ (byId("progress"));
    progress.hidden = !isOn;
    progress.value = isOn ? steps / (all.length * what.steps) : 0;
    run.hidden = state === "goes";
    run.disabled = names.length === 0;
    run.textContent =
      state === "stopped" ? "Go on" : state === "done" ? "Run it again" : "Run it here";
    byId("stop").hidden = state !== "goes";
    const words = {
      rests: estimate(what, names.length * controls.seeds),
      goes: `${done} of ${all.length} trained.`,
      stopped: `Stopped: ${done} of ${all.length} trained.`,
      done: `${all.length} trained in ${seconds.toFixed(1)} s.`,
    }[state];
    if (byId("said").textContent !== words) byId("said").textContent = words;
    byId("bits").textContent = bitsOf(what);
    const sizes = all.flatMap(({ parameters }) => parameters ?? []).sort((a, b) => a - b);
    byId("size").textContent =
      sizes.length > 0
        ? `The models trained here have ${sizes[0].toLocaleString("en")} to ${sizes[sizes.length - 1].toLocaleString("en")} parameters and ${what.layers === 1 ? "one layer" : `${what.layers} layers`}.`
        : `The models have ${what.layers === 1 ? "one layer" : `${what.layers} layers`} of width ${what.dim} and are trained for ${what.steps} steps of ${what.batch} texts of ${what.length} tokens.`;
  }

  /** How many trainings have the recorded bits. @param {Setup} what */
  function bitsOf(what) {
    const done = runs.all.filter(({ bits }) => bits);
    if (done.length === 0) return "";
    const known = done.flatMap(({ scheme, seed, bits }) => {
      const wanted = rowOf(recorded, { ...what, reading: null, temperature: 1 }, scheme)?.bits[
        seed - 1
      ];
      return wanted ? [wanted === bits] : [];
    });
    if (known.length === 0)
      return "The record has no training with these settings to compare bits with.";
    const same = known.filter(Boolean).length;
    return same === known.length
      ? `Same bits as recorded: the weights of ${same === 1 ? "the training" : `all ${same} trainings`} are equal to the last bit.`
      : `Other bits than recorded: ${known.length - same} of ${known.length} trainings differ. Please report the browser and the processor.`;
  }

  /** @param {Setup} what @param {number} count */
  function estimate(what, count) {
    const milliseconds = measured.get(stepOf(what));
    if (count === 0) return "Choose a scheme.";
    if (milliseconds === undefined) return "";
    const s = runs.secondsOf(milliseconds, what, count);
    const about =
      s < 1
        ? "less than a second"
        : s < 90
          ? `about ${Math.ceil(s)} s`
          : `about ${Math.ceil(s / 60)} minutes`;
    const long = s > LONG ? " Fewer schemes or steps take less." : "";
    return `${count} ${count === 1 ? "training" : "trainings"}: ${about} on this device.${long}`;
  }

  async function measure() {
    const what = setup();
    const key = stepOf(what);
    if (measured.has(key) || runs.state !== "rests") return;
    measured.set(key, NaN);
    try {
      // Text costs as much as symbols do.
      const symbols =
        what.task === "text" ? { ...what, task: /** @type {const} */ ("back"), options: {} } : what;
      measured.set(key, await runs.measure(symbols, ""));
    } catch {
      measured.delete(key); // a run says what is wrong
    }
    draw();
  }

  /** Says what "as recorded" stands for. */
  function sayRecorded() {
    /** @type {Record<string, number>} */
    const sizes = { ...sizesOf(recorded, setup().task), std: STD };
    for (const name of [...SIZES, "std"]) {
      const select = /** @type {HTMLSelectElement} */ (byId(name));
      select.options[0].textContent = `${sizes[name]} (as recorded)`;
    }
    byId("recorded").textContent = `The record: ${recorded.date}, by ${recorded.command}.`;
  }
}

/** @param {Setup} setup  what decides over the weights, as text */
function trainingOf({ task, length, steps, dim, heads, layers, std, factor }) {
  const longest = length * factor;
  return JSON.stringify([task, length, steps, dim, heads, layers, std, Math.max(512, longest)]);
}

/** @param {Setup} setup  how models are read, as text */
const readingOf = ({ factor, reading, temperature }) =>
  JSON.stringify([factor, reading, temperature]);

/** @param {Setup} setup  what the time of a step depends on, as text */
const stepOf = ({ length, dim, heads, layers }) => JSON.stringify([length, dim, heads, layers]);

/** @param {string} name @param {"json" | "text"} kind */
async function read(name, kind) {
  const addresses = {
    "./recorded.json": new URL("./recorded.json", import.meta.url),
    "./corpus.txt": new URL("./corpus.txt", import.meta.url),
  };
  const answer = await fetch(addresses[/** @type {"./recorded.json"} */ (name)]);
  if (!answer.ok) throw new Error(`${name.slice(2)} could not be loaded (${answer.status}).`);
  return answer[kind]();
}
