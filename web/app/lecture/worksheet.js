import { make } from "../dom.js";

/** Turns a page into one to print: questions with room to write, without what gives their answers away. */
export function worksheet() {
  const print = make("button", { type: "button", class: "primary" }, "Print");
  print.addEventListener("click", () => globalThis.print());
  const name = make("p", { class: "written" }, "Name");
  document.querySelector("main")?.prepend(make("p", { class: "buttons" }, print), name);
  for (const form of document.querySelectorAll(".question")) {
    const lines = Array.from({ length: form.querySelector("input[type=radio]") ? 2 : 4 }, () =>
      make("p", { class: "written" }),
    );
    form.append(...lines);
  }
}
