import { make } from "../dom.js";

/** Minutes that a timer begins with. */
const MINUTES = 2;

/** A timer for a discussion: minutes to set, and a button that starts and stops it. */
export function timer() {
  const field = make("input", {
    type: "number",
    min: 1,
    max: 90,
    value: MINUTES,
    inputmode: "numeric",
    "aria-label": "Minutes of the timer",
  });
  const minutes = make("label", {}, field, " min");
  const left = make("output", { role: "timer", "aria-label": "Time left", hidden: true });
  const button = make("button", { type: "button" }, "Start timer");
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let running;
  let end = 0;

  function show() {
    const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    left.classList.toggle("over", seconds === 0);
    if (seconds === 0) clearInterval(running);
  }

  button.addEventListener("click", () => {
    const starts = running === undefined;
    clearInterval(running);
    running = undefined;
    if (starts) {
      end = performance.now() + 60_000 * Math.min(90, Math.max(1, field.valueAsNumber || MINUTES));
      running = setInterval(show, 200);
      show();
    }
    button.textContent = starts ? "Stop timer" : "Start timer";
    minutes.hidden = starts;
    left.hidden = !starts;
  });
  return make("div", { class: "timer" }, minutes, left, button);
}
