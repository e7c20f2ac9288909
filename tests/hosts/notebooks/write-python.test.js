// Tasks in Python on a page: the reader's program in the real Pyodide, in the frame for programs. The page is opened
// once, and loads Python once more after a program that had to be ended. Above 20 s of CPU, because Pyodide starts twice.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { after, test } from "node:test";
import { atNight } from "../../sample.js";
import { inPython, taskOf } from "../../../web/app/write/tasks/index.js";
import { DOWNLOAD, FILES, HOST } from "../../../web/app/write/python-files.js";
import { openBrowser } from "../../pages/browser.js";
import { openAnew, settled } from "../../pages/pages.js";
import { serveSite } from "../../pages/site.js";
import { lacksNumpy, pyodide } from "./site.js";

if (lacksNumpy) test("Python on a page", { skip: lacksNumpy }, () => {});
else {
  const files = await pyodide("numpy");
  const bytesOf = (/** @type {string} */ address) => files[basename(address)];

  test("Python's files: sizes and digests are those of the packages", async () => {
    for (const { address, size, sha256 } of Object.values(FILES)) {
      const bytes = bytesOf(address);
      assert.equal(bytes.length, size, address);
      assert.equal(createHash("sha256").update(bytes).digest("base64"), sha256, address);
      assert.equal(new URL(address).host, HOST);
    }
    assert.ok(DOWNLOAD > 8.5e6 && DOWNLOAD < 9e6);
  });

  const server = await serveSite();
  const browser = await openBrowser();
  after(async () => {
    await browser.close();
    await server.close();
  });
  const visit = await browser.newPage();
  const { page } = visit;

  /** Addresses that the page has asked of the host. @type {string[]} */
  const asked = [];
  let isCut = false;
  await page.context().route(`https://${HOST}/**`, async (route) => {
    const address = route.request().url();
    asked.push(address);
    const body = Buffer.from(bytesOf(address));
    const headers = { "Access-Control-Allow-Origin": "*" };
    if (isCut && address === FILES.numpy.address) body[1000] ^= 1;
    return route.fulfill({ body, headers });
  });
  const problems = () =>
    visit.problems.filter((each) => !each.startsWith(`request: https://${HOST}/`));

  const place = (/** @type {string} */ name) => page.locator(`[data-task="${name}"]`);
  const task = place("rotate-half");
  const button = (/** @type {string} */ name) => task.getByRole("button", { name, exact: true });

  /** Checks a program and gives all that is said of it. @param {string} [code] */
  async function checked(code, at = task) {
    if (code !== undefined) await at.locator("textarea").fill(code);
    await at.getByRole("button", { name: "Check", exact: true }).click();
    const said = at.locator(".judged .verdict, .wrong:not(:empty)").first();
    await said.waitFor({ timeout: 60_000 });
    return said.innerText();
  }

  const { stub, solution } = inPython(taskOf("rotate-half"));

  test("Python on a page: it is chosen, and its size and host are told before it is downloaded", async () => {
    await openAnew(visit, server.url, "lessons/rope/");
    assert.equal(await task.locator(".note.python").isVisible(), false);
    await checked("import numpy as np\n");
    assert.match(
      await task.locator(".wrong").innerText(),
      /^Line 1: SyntaxError: .*\. Programs in this cell are in JavaScript; choose Python above\.$/,
    );
    visit.problems.length = 0; // the reader's error is on the console, too
    await button("Python").click();
    assert.equal(await task.locator("textarea").inputValue(), stub.trimEnd());
    assert.equal(
      await place("rope").getByRole("button", { name: "Python" }).getAttribute("aria-pressed"),
      "true",
    );
    assert.match(
      await task.locator(".note.python").innerText(),
      /The first check downloads Python for the browser from cdn\.jsdelivr\.net: 9 MB, once\.$/,
    );
    assert.match(await task.locator(".statement").innerText(), /rotate_half\(x\)/);
    assert.deepEqual(asked, []);
  });

  test("Python on a page: a file with another digest is refused", async () => {
    isCut = true;
    assert.match(
      await checked(solution),
      /^Python is not started: the file at .*numpy.* is not the one expected\.$/,
    );
    isCut = false;
    assert.equal(await page.locator("iframe").count(), 0);
  });

  test("Python on a page: right, wrong with the likely mistake, exceptions", async () => {
    assert.match(await checked(solution), /^Right: 3 calls, 12 numbers\./);
    assert.deepEqual(
      [...new Set(asked)].sort(),
      Object.values(FILES)
        .map(({ address }) => address)
        .sort(),
    );
    assert.ok(await task.getByText("Solved", { exact: true }).isVisible());
    await checked(
      "def rotate_half(x):\n    half = len(x) // 2\n    return np.concatenate([x[half:], -x[:half]])",
    );
    assert.equal(
      await task.locator(".likely").innerText(),
      `Likely: ${taskOf("rotate-half").mistakes[0].says}`,
    );
    for (const [code, words] of /** @type {[string, RegExp][]} */ ([
      ["", /^The program must define a function named rotate_half\.$/],
      ["rotate_half = 3", /^rotate_half must be a function; got int\.$/],
      [
        "def rotate_half(x):\n    return y",
        /^Line 2: NameError: .*, in rotate_half\(\[1, 2, 3, 4\]\)$/,
      ],
      ["def rotate_half(x):\n    return np.ones(3) + x", /^Line 2: ValueError: .*, in rotate_half/],
      ["def rotate_half(x):\n    return (", /^Line 2: SyntaxError: '\(' was never closed$/],
      ["x = 1\nfunction f() {}", /Programs in this cell are in Python; choose JavaScript above\.$/],
      ["1 / 0", /^Line 1: ZeroDivisionError: division by zero$/],
      ["def rotate_half(x):\n    pass", /got None\. Is a return missing\?$/],
      ["def rotate_half(x):\n    return '1'", /got str\.$/],
      ["def rotate_half(x):\n    return ['1', '2', '3', '4']", /got an array with str\.$/],
      ["def rotate_half(x):\n    raise SystemExit", /^Line 2: SystemExit, in/],
    ])) {
      assert.match(await checked(code), words, code);
    }
    assert.doesNotMatch(await place("rope").locator(".note.python").innerText(), /download/);
    await checked("print('seen', np.arange(2))\ndef rotate_half(x): return x");
    assert.equal(await task.locator(".result pre").innerText(), "seen [0 1]");
    // A program that posts lines past print, which counts them.
    await checked(`from js import Object, parent
from pyodide.ffi import to_js
for turn in range(60):
    for i in range(300):
        line = to_js({"turn": turn, "printed": str(i) * 1000}, dict_converter=Object.fromEntries)
        parent.postMessage(line, "*")
def rotate_half(x): return x`);
    const posted = await task.locator(".result pre").allInnerTexts();
    assert.equal(posted.length, 200);
    assert.ok(posted.every((line) => line.length <= 1000));
    assert.deepEqual(problems(), []);
  });

  test(
    "Python on a page: an endless loop is ended, and the next program runs",
    atNight,
    async () => {
      const count = asked.length;
      assert.equal(
        await checked(
          "def rotate_half(x):\n    while len(x) == 2: pass\n    return np.concatenate([-x[2:], x[:2]])",
        ),
        "No answer from rotate_half([5, -7]) after 5 seconds. Does a loop never end?",
      );
      assert.equal(await page.locator("iframe").count(), 0);
      assert.match(await checked(solution), /^Right/);
      const rope = inPython(taskOf("rope"));
      assert.match(await checked(rope.solution, place("rope")), /^Right/);
      assert.equal(asked.length, count, "nothing is downloaded twice");
      assert.deepEqual(problems(), []);
    },
  );

  test("Python on a page: language and program survive a reload; each language has its program", async () => {
    assert.match(await checked(solution), /^Right/);
    await page.reload();
    await settled(page);
    assert.equal(await task.locator("textarea").inputValue(), solution);
    await button("JavaScript").click();
    assert.equal(await task.locator("textarea").inputValue(), "import numpy as np\n");
    assert.match(await task.locator(".statement").innerText(), /rotateHalf\(x\)/);
    assert.match(await checked(taskOf("rotate-half").solution), /^Right/);
    await button("Reset").click();
    await button("Python").click();
    assert.equal(await task.locator("textarea").inputValue(), solution);
  });
}
