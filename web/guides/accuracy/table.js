import { promises } from "./promises.js";

/** @import { Row } from "./promises.js" */

/**
 * The promises as tables of HTML.
 * @param {Record<string, number>} errors  measured, by the promise's id
 */
export function tables(errors) {
  return promises
    .map(
      ({ title, rows }) => `<h3>${escape(title)}</h3>
      <table class="promises">
        <thead>
          <tr><th scope="col">What</th><th scope="col">Promise</th><th scope="col">Measured</th><th scope="col">Tests</th></tr>
        </thead>
        <tbody>${rows.map((row) => line(row, errors[row.id])).join("")}</tbody>
      </table>`,
    )
    .join("");
}

/** @param {Row} row @param {number | undefined} error */
function line({ id, what, calls, promise, tests, unit = "" }, error) {
  return `<tr id="${id}">
    <th scope="row"><a href="#${id}">${text(what)}</a>${calls.map(link).join("")}</th>
    <td data-label="Promise">${text(promise)}</td>
    ${measured(error, unit)}
    <td data-label="Tests">${tests.map((file) => `<code>${broken(file)}</code>`).join(" ")}</td>
  </tr>`;
}

/** @param {number | undefined} error @param {string} unit */
function measured(error, unit) {
  if (error === undefined) return '<td class="none" data-label="Measured">&ndash;</td>';
  return `<td data-label="Measured">${figure(error)} ${escape(unit)}</td>`;
}

/** A function's name, with the place where the reference has it. @param {string} call */
function link(call) {
  const [module, method = module] = call.split(".");
  const name = `<code>${escape(call)}</code>`;
  if (/^[A-Z]/.test(module)) return ` ${name}`; // a method of a class
  const folder = module.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);
  const page = module === "npy" ? "files/#npy.read" : `${folder}/#${method}`;
  return ` <a href="@root/reference/${page}">${name}</a>`;
}

/** Prose with `code` and powers. @param {string} prose */
function text(prose) {
  return escape(prose)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\^(-?\d+)/g, (_, power) => `<sup>${power.replace("-", "−")}</sup>`);
}

/** A path that a narrow column may break after its folders and words. @param {string} file */
const broken = (file) => escape(file).replace(/[/_]|(?=\.test)/g, (end) => `${end}<wbr>`);

/** A measured error. @param {number} error */
const figure = (error) => (error > 0.01 ? error.toFixed(4) : error.toExponential(2));

/** @param {string} text */
function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
