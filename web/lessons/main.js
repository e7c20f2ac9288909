// The list of lessons: how far the reader is, and the answers as a file.

import { byId } from "../app/dom.js";
import { save } from "../app/exports.js";
import { answersOf, progress } from "../app/questions/kept.js";
import "./paths.css";

const kept = progress();
for (const card of document.querySelectorAll("[data-lesson-card]")) {
  const name = /** @type {HTMLElement} */ (card).dataset.lessonCard;
  const { of = 0, answered = 0 } = kept[`lessons/${name}/`] ?? {};
  if (answered === 0) continue;
  const state = document.createElement("span");
  state.textContent = answered < of ? `${answered} of ${of} answered` : "all answered";
  card.querySelector("small")?.append(" ", state);
}

const button = /** @type {HTMLButtonElement} */ (byId("download"));
button.disabled = answersOf().length === 0;
button.addEventListener("click", () => {
  const text = JSON.stringify({ format: "phasor answers 1", answers: answersOf() }, null, 2);
  save(new Blob([text], { type: "application/json" }), "phasor-answers.json");
});
