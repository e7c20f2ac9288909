// A page's controls and what its figures show, as a reader finds them. Everything here is asked in
// the page, so that it serves playwright's pages and puppeteer's alike.

/**
 * @typedef {object} Control
 * @property {string} name
 * @property {string} kind  "range", "number", "select", "checkbox", "radio" or "text"
 * @property {string} value  "true" or "false" of a checkbox
 * @property {string[]} others  legal values that it does not have now
 *
 * @typedef {{ evaluate: (work: any, given?: any) => Promise<any> }} Asked  a page
 */

/** Words that every vocabulary of the site has. */
const SENTENCES = ["king and queen of the north", "one dog", "a b c d"];

/** The visible controls of the lesson's forms. @param {Asked} page @returns {Promise<Control[]>} */
export function controls(page) {
  return page.evaluate((/** @type {string[]} */ sentences) => {
    /** @param {HTMLElement & { value: string }} control */
    const kindOf = (control) => {
      if (control instanceof HTMLSelectElement) return "select";
      const type = control.getAttribute("type") ?? "text";
      if (type === "range" || type === "checkbox" || type === "radio") return type;
      return type === "number" || "number" in control.dataset ? "number" : "text";
    };
    /** @param {any} control @param {string[]} texts  those that lie within its bounds */
    const within = (control, texts) => {
      const { min = "", max = "" } = control.type === "range" ? control : control.dataset;
      const inside = (/** @type {number} */ x) =>
        (min === "" || x >= Number(min)) && (max === "" || x <= Number(max));
      return texts.filter((text) => text !== "" && inside(Number(text)));
    };
    /** @param {any} control @param {string} kind @returns {string[]} */
    const othersOf = (control, kind) => {
      const x = Number(control.value);
      if (kind === "checkbox") return [String(!control.checked)];
      if (kind === "radio") {
        const group = [...control.form.elements].filter(({ name }) => name === control.name);
        return group.filter(({ disabled }) => !disabled).map(({ value }) => value);
      }
      if (kind === "text") return sentences;
      if (kind === "select") {
        return [...control.options].filter((option) => !option.disabled).map(({ value }) => value);
      }
      if (kind === "range") {
        const step = Number(control.step || 1);
        const near = [x + step, x - step].map((each) => String(Number(each.toFixed(9))));
        return within(control, [...near, control.max, control.min]);
      }
      const { min = "", max = "" } = control.dataset;
      return within(control, [String(x * 2), String(x + 1), max, min]);
    };
    const all = document.querySelectorAll("form[data-controls] :is(input, select, textarea)[name]");
    return [...all]
      .filter((control) => control.checkVisibility() && !control.matches(":disabled"))
      .filter((control) => !control.matches("[type='radio']:not(:checked)")) // a group is one control
      .map((each) => {
        const control = /** @type {any} */ (each);
        const kind = kindOf(control);
        const value = kind === "checkbox" ? String(control.checked) : control.value;
        const others = othersOf(control, kind).filter((other) => other !== value);
        return { name: control.name, kind, value, others };
      });
  }, SENTENCES);
}

/** Put a control in a state as a reader would. @param {Asked} page @param {string} name @param {string} value */
export async function put(page, name, value) {
  await page.evaluate(
    (/** @type {{ name: string, value: string }} */ { name, value }) => {
      const named = `form[data-controls] [name="${CSS.escape(name)}"]`;
      const radio = `${named}[type="radio"][value="${CSS.escape(value)}"]`;
      const control = /** @type {any} */ (
        document.querySelector(radio) ?? document.querySelector(named)
      );
      if (control.type === "radio") control.checked = true;
      else if (control.type === "checkbox") control.checked = value === "true";
      else control.value = value;
      for (const type of ["input", "change"]) {
        control.dispatchEvent(new Event(type, { bubbles: true }));
      }
    },
    { name, value },
  );
}

/** What every figure of `phasor/plots` holds: a fingerprint of its CSV each. @param {Asked} page @returns {Promise<string[]>} */
export function numbers(page) {
  return page.evaluate(async () => {
    const figures = /** @type {any[]} */ ([...document.querySelectorAll("figure.phasor-figure")]);
    const prints = figures.map(async (figure) => {
      const bytes = new TextEncoder().encode(figure.csv());
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
    });
    return Promise.all(prints);
  });
}

/** Whether the page says beside a control that something is wrong. @param {Asked} page @returns {Promise<string>} */
export function complaint(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("main .wrong")]
      .filter((place) => place.checkVisibility())
      .map((place) => place.textContent?.trim())
      .filter(Boolean)
      .join(" "),
  );
}
