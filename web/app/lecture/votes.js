import { make } from "../dom.js";

/**
 * Adds to each option of a prediction a field for a show of hands, and a bar with its share. The page keeps no counts.
 */
export function votes() {
  for (const form of document.querySelectorAll("form[data-question]")) {
    const options = [...form.querySelectorAll(".choice:has(input[type=radio])")];
    const counts = options.map((option, i) => {
      const letter = String.fromCharCode(65 + i);
      const field = make("input", {
        type: "number",
        min: 0,
        max: 9999,
        inputmode: "numeric",
        value: 0,
        "aria-label": `Hands for ${letter}`,
      });
      const bar = make("span", { class: "bar" });
      const share = make("output", { "aria-label": `Share of ${letter}` });
      const line = make("div", { class: "voted" });
      option.replaceWith(line);
      line.append(
        option,
        make("div", { class: "votes" }, field, make("span", { class: "share-rail" }, bar), share),
      );
      return { field, bar, share };
    });
    const show = () => {
      const hands = counts.map(({ field }) => Math.max(0, Math.floor(field.valueAsNumber || 0)));
      const all = hands.reduce((sum, each) => sum + each, 0);
      counts.forEach(({ bar, share }, i) => {
        const percent = all > 0 ? (100 * hands[i]) / all : 0;
        bar.style.width = `${percent}%`;
        share.textContent = all > 0 ? `${Math.round(percent)} %` : "";
      });
    };
    for (const { field } of counts) {
      field.addEventListener("input", (event) => {
        event.stopPropagation(); // it is no answer
        show();
      });
      for (const type of ["keydown", "change"]) {
        field.addEventListener(type, (event) => event.stopPropagation()); // a digit chooses no option
      }
      field.addEventListener("focus", () => field.select());
    }
  }
}
