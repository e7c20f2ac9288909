// The checks of lessons find what is wrong: each on a made-up lesson with that fault, and on one
// without.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { npy } from "phasor/files";
import { openBrowser } from "./browser.js";
import {
  addressFaults,
  codeFaults,
  controlFaults,
  exportFaults,
  questionFaults,
} from "./lessons.js";
import { settled } from "./pages.js";

const browser = await openBrowser();
after(() => browser.close());

const address = "http://127.0.0.1/lesson/"; // answered by the test itself

/**
 * A lesson in one file: a figure of three numbers, which a slider moves.
 *
 * @param {Partial<Record<"data" | "restore" | "verdict" | "hint" | "read" | "unread" | "program" | "npy" | "csv" | "more", string>>} [parts]
 */
function lesson(parts = {}) {
  const {
    data = "[1, 2, shift.value]",
    restore = 'shift.value = location.hash.replace("#shift=", "") || 3',
    verdict = `right: answer === "4", words: "2 + 2 is 4."`,
    hint = "Not yet.",
    read = `String(parseFloat(text.replace(/^[^-\\d]+/, "")))`,
    unread = "That is not a number yet.",
    program = `status.textContent = "Ended after 0 s."`,
    npy = "Float64Array.from(data, Number)",
    csv = `["n,value", ...data.map((x, n) => n + "," + x)].join("\\n")`,
    more = "",
  } = parts;
  return `<!doctype html><html lang="en" data-settled="true"><body data-lesson="made-up">
    <form data-controls><input type="range" name="shift" min="0" max="9" value="3">${more}</form>
    <div><figure class="phasor-figure" data-kind="bar"></figure>
    <details class="export"><summary>Export</summary>
      <button>PNG</button><button>SVG</button><button>CSV</button><button>.npy</button></details></div>
    <form data-question="sum">
      <label><input type="radio" name="answer" value="3">3</label>
      <label><input type="radio" name="answer" value="4">4</label>
      <button class="ask" disabled>Run</button><div class="outcome"><p class="verdict"></p></div></form>
    <form data-question="typed" data-kind="exercise"><input name="answer">
      <button class="ask" disabled>Check</button><div class="outcome"><p class="verdict"></p></div></form>
    <div class="runnable"><button>Run</button><p class="wrong"></p><p class="run-status"></p></div>
    <script type="module">
      const shift = document.querySelector("[name=shift]");
      const figure = document.querySelector("figure");
      ${restore};
      shift.addEventListener("input", () => history.replaceState(null, "", "#shift=" + shift.value));
      const now = () => { const data = ${data}; return { data, csv: ${csv}, npy: ${npy} }; };
      figure.csv = () => now().csv;
      const save = async (content, name) => {
        const href = URL.createObjectURL(new Blob([content]));
        Object.assign(document.createElement("a"), { href, download: name }).click();
      };
      const header = ${JSON.stringify(header)};
      const files = {
        PNG: async () => {
          const canvas = new OffscreenCanvas(9, 1);
          const context = canvas.getContext("2d");
          for (let x = 0; x < 9; ++x) {
            context.fillStyle = "rgb(" + 20 * x + " 0 0)";
            context.fillRect(x, 0, 1, 1);
          }
          return canvas.convertToBlob();
        },
        SVG: () => '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
        CSV: () => now().csv,
        ".npy": () => new Blob([Uint8Array.from(header), now().npy]),
      };
      for (const button of document.querySelectorAll(".export button")) {
        const name = button.textContent;
        button.onclick = async () => save(await files[name](), name);
      }
      for (const form of document.querySelectorAll("[data-question]")) {
        const said = form.querySelector(".verdict");
        let tries = 0;
        form.oninput = () => { form.querySelector(".ask").disabled = false; delete said.dataset.right; };
        form.onsubmit = (event) => {
          event.preventDefault();
          const text = new FormData(form).get("answer");
          const answer = ${read};
          if (answer === "NaN" && ${JSON.stringify(unread)}) return void (said.textContent = ${JSON.stringify(unread)});
          const { right, words } = { ${verdict} };
          const isFirst = form.dataset.kind && !right && ++tries === 1;
          [said.dataset.right, said.textContent] = [right, isFirst ? ${JSON.stringify(hint)} : words];
        };
      }
      const [wrong, status] = document.querySelectorAll(".runnable p");
      document.querySelector(".runnable button").onclick = () => { ${program}; };
    </script></body></html>`;
}

/** What stands before three doubles in a `.npy` file. */
const header = [...npy.write({ data: new Float64Array(3), shape: [3] })].slice(0, -24);

const { page } = await browser.newPage(); // for all lessons: a new one takes longer than a check
page.setDefaultTimeout(8000); // what a faulty lesson lacks is waited for
const reader = await browser.newPage();

/** @param {Parameters<typeof lesson>[0]} [parts] */
async function open(parts) {
  await page.unroute(`${address}**`);
  await page.route(`${address}**`, (route) =>
    route.fulfill({ contentType: "text/html", body: lesson(parts) }),
  );
  const visit = async (/** @type {string} */ to) => {
    await page.goto("about:blank"); // or another anchor of the same address would load nothing
    await page.goto(to);
    await settled(page);
  };
  await visit(address);
  return { visit };
}

/** @param {RegExp[]} expected @param {string[]} faults */
function assertFaults(faults, ...expected) {
  assert.equal(faults.length, expected.length, faults.join("\n"));
  expected.forEach((pattern, i) => assert.match(faults[i], pattern));
}

test("checks of lessons: a correct lesson has no faults", async () => {
  const { visit } = await open();
  assertFaults(await controlFaults(page));
  assertFaults(await questionFaults(page));
  assertFaults(await exportFaults(page, reader.page));
  assertFaults(await codeFaults(page));
  assertFaults(await addressFaults(page, visit));
});

test("checks of lessons: a control without effect, a fixed control and a control that works only once are found", async () => {
  const more = `<input type="checkbox" name="idle"><select name="one"><option>1</option></select>`;
  await open({ more });
  assertFaults(await controlFaults(page), /^idle changes no figure/, /^one has no other/);
  await open({ data: "[performance.now(), 2, shift.value]" });
  assertFaults(await controlFaults(page), /^shift set back to 3 does not bring/);
});

test("checks of lessons: an address that is ignored is found", async () => {
  const { visit } = await open({ restore: "" });
  assertFaults(await addressFaults(page, visit), /^the address gives shift 3, which/, /figures$/);
});

test("checks of lessons: two right options, none, and a number that is never right are found", async () => {
  await open({ verdict: 'right: true, words: "4"' });
  assertFaults(await questionFaults(page), /^sum: 2 choices are right/, /^typed: .* is taken/);
  await open({ verdict: 'right: false, words: "It is 4 or \u22125."' });
  assertFaults(await questionFaults(page), /^sum: 0 choices/, /^typed: none of the numbers/);
  await open({ verdict: 'right: answer === "4", words: ""' });
  assertFaults(await questionFaults(page), /^sum: no word about 3/, /^typed: none/);
});

test("checks of lessons: text accepted as a number, a hint with the answer, and a number in one form only are found", async () => {
  await open({ unread: "" });
  assertFaults(await questionFaults(page), /^typed: abc is taken for an answer/, /says 4 after/);
  await open({ hint: "Not yet: it is 4." });
  assertFaults(await questionFaults(page), /^typed: it says 4 after the first answer/);
  await open({ hint: "" });
  assertFaults(await questionFaults(page), /^typed: no word about the first answer/);
  await open({ read: `text === "abc" ? "NaN" : text` });
  assertFaults(await questionFaults(page), /refuses \u2248 4 /, /4 things/, /4\/1/);
});

test("checks of lessons: exports with other content are found", async () => {
  await open({ npy: "Float64Array.of(1, 2, 7)", csv: '"1,2\\n3"' });
  assertFaults(
    await exportFaults(page, reader.page),
    /CSV: its header has no name/,
    /CSV: a row of 1 cells below 2 names/,
    /\.npy: its 1 does not stand in the CSV/,
  );
});

test("checks of lessons: code that throws and code that never ends are found", async () => {
  await open({ program: 'wrong.textContent = "Line 2: x is not defined"' });
  assertFaults(await codeFaults(page), /^code 0: Line 2: x is not defined/);
  await open({ program: "" });
  assertFaults(await codeFaults(page), /^code 0 does not end/);
});
