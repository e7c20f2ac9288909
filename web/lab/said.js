// What the page says of a run: how long it takes, how far it is, and whether its bits are those of the record.

/** @import { Recorded, Setup } from "./setup.js" */
/** @import { Runs } from "./runs.js" */
import { rowOf } from "./setup.js";

/** Seconds of a run from which the page says that it is long. */
const LONG = 30;

/** @param {number} n */
const layers = (n) => (n === 1 ? "one layer" : `${n} layers`);

/** How long trainings take here. @param {number} seconds  NaN: not measured yet @param {number} count */
export function estimateOf(seconds, count) {
  if (count === 0) return "Choose a scheme.";
  if (Number.isNaN(seconds)) return "";
  const minutes = `about ${Math.ceil(seconds / 60)} minutes`;
  const about =
    seconds < 1 ? "less than a second" : seconds < 90 ? `about ${Math.ceil(seconds)} s` : minutes;
  const long = seconds > LONG ? " Fewer schemes or steps take less." : "";
  return `${count} ${count === 1 ? "training" : "trainings"}: ${about} on this device.${long}`;
}

/** How far the trainings are. @param {Runs} runs @param {number} seconds  that they took @param {string} before */
export function progressOf({ state, all }, seconds, before) {
  const done = all.filter((run) => run.state === "done" || run.state === "failed").length;
  return {
    rests: before,
    goes: `${done} of ${all.length} trained.`,
    stopped: `Stopped: ${done} of ${all.length} trained.`,
    done: `${all.length} trained in ${seconds.toFixed(1)} s.`,
  }[state];
}

/** How many trainings have the recorded bits. @param {Recorded} recorded @param {Setup} setup @param {Runs} runs */
export function bitsOf(recorded, setup, runs) {
  const done = runs.all.filter(({ bits }) => bits);
  if (done.length === 0) return "";
  const trained = { ...setup, reading: null };
  const known = done.flatMap(({ scheme, seed, bits }) => {
    const wanted = rowOf(recorded, trained, scheme)?.bits[seed - 1];
    return wanted ? [wanted === bits] : [];
  });
  if (known.length === 0) {
    return "The record has no training with these settings to compare bits with.";
  }
  const same = known.filter(Boolean).length;
  const which = same === 1 ? "the training" : `all ${same} trainings`;
  return same === known.length
    ? `Same bits as recorded: the weights of ${which} are equal to the last bit.`
    : `Other bits than recorded: ${known.length - same} of ${known.length} trainings differ. Please report the browser and the processor.`;
}

/** How large the models are. @param {Setup} setup @param {Runs} runs */
export function sizeOf({ layers: L, dim, steps, batch, length }, runs) {
  const counts = runs.all.flatMap(({ parameters }) => parameters ?? []).sort((a, b) => a - b);
  const [least, most] = [counts[0], counts[counts.length - 1]].map((n) => n?.toLocaleString("en"));
  if (counts.length === 0) {
    return `The models have ${layers(L)} of width ${dim} and are trained for ${steps} steps of ${batch} texts of ${length} tokens.`;
  }
  const range = least === most ? least : `${least} to ${most}`;
  return `The models trained here have ${range} parameters in ${layers(L)}.`;
}
