import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { load } from "phasor";
import { atNight, everyNth } from "../sample.js";
import { violations } from "./axe.js";
import { openTrial } from "./trial.js";
import { until } from "../until.js";

/** @typedef {import("playwright-core").Page} Page */

const trial = await openTrial("frame");
after(trial.close);
/** The page of most programs: a new one takes longer than they do. */
const shared = await trial.open();

/**
 * A page with one program, its own handle at `globalThis.program`.
 *
 * @param {string} code @param {string[]} [data] @param {typeof shared} [opened]  another page
 */
async function openProgram(code, data = [], opened = shared) {
  const visit = await trial.again(opened);
  await visit.page.evaluate(([code, data]) => {
    const all = /** @type {any} */ (globalThis);
    const place = document.querySelector("#place");
    const urls = data.map((/** @type {string} */ path) => new URL(path, location.href).href);
    all.program = all.runnable(place, { code, label: "A table", data: urls });
  }, /** @type {const} */ ([code, data]));
  return visit;
}

/** Runs it and waits for how it went: [what stands beside it, the error]. @param {Page} page */
async function run(page) {
  await button(page, "Run").click();
  await page.waitForFunction(
    () =>
      document.querySelector(".run-status")?.textContent?.startsWith("Ended") ||
      document.querySelector(".wrong")?.textContent !== "",
  );
  return page.locator(".wrong").textContent();
}

/** @param {Page} page @param {string} name */
const button = (page, name) => page.getByRole("button", { name, exact: true });

/** @param {Page} page */
const field = (page) => page.getByLabel("Program: A table");

/** @param {Page} page */
const output = (page) => page.frameLocator("iframe").locator("main");

/** The lines that a program wrote. @param {Page} page */
const lines = (page) => output(page).locator("pre").allTextContents();

/** What a program says of itself, run in a separate page. @param {string} code */
async function outcomeOf(code) {
  const { page } = await openProgram(code);
  const wrong = await run(page);
  return { wrong, shown: await lines(page) };
}

const sinusoids = `import { load } from "phasor";

const { sinusoidal } = await load();
const table = sinusoidal.table(4, 6);
display(table);
`;

test("frame: a program imports phasor by name and shows a tensor and an element", async () => {
  const { sinusoidal } = await load();
  const element = `const b = document.createElement("b"); b.textContent = "bold"; display(b);`;
  const { page, problems } = await openProgram(sinusoids + element);
  assert.equal(await run(page), "");
  assert.deepEqual(await lines(page), [String(sinusoidal.table(4, 6))]);
  assert.equal(await output(page).locator("b").textContent(), "bold");
  assert.deepEqual(problems, []);
});

/** What a program may import: every module of the package but the widget, threads, and cores beside the default one. */
const importable = Object.keys(createRequire(import.meta.url)("../../package.json").exports)
  .filter((entry) => !/^\.\/(external|scalar|widget|.*-thread|.*[.].*)$/.test(entry))
  .map((entry) => `phasor${entry.slice(1)}`);

test("frame: a program has every entry of the package, and Observable Plot", atNight, async () => {
  const { wrong, shown } = await outcomeOf(`
    import * as Plot from '@observablehq/plot';
    display(Plot.dot([[1, 2]]).plot().tagName);
    ${importable.map((name, i) => `import * as _${i} from "${name}";\n`).join("")}
    display([${importable.map((_, i) => `_${i}`)}].map((module) => Object.keys(module).length > 0));
    display((await (await import("phasor/oracle")).identify((await _0.load()).rope.table(16, 8))).sentence);
    const { files } = await (await import("phasor/vectors")).vectors("gpt2", { tests: ["vitest"] });
    display(Object.values(files).some((text) => String(text).includes('"./adapter.js"'))); // as it is written
  `);
  assert.equal(wrong, "");
  const [plot, found, sentence, isWritten] = shown;
  assert.deepEqual([plot, found], ["svg", `[${importable.map(() => true).join(", ")}]`]);
  assert.ok(/^RoPE, .*base 10000/.test(sentence) && isWritten === "true", shown.join("; "));
});

test("frame: packages are fetched with the first run, and only those that it imports", async () => {
  const { page } = await openProgram(sinusoids);
  /** @type {string[]} */
  const asked = [];
  const hear = (/** @type {import("playwright-core").Request} */ request) =>
    void asked.push(request.url().replace(/.*\//, ""));
  page.on("request", hear);
  await run(page);
  assert.equal(asked.filter((name) => /^plot-|^files-|^models-/.test(name)).length, 0);
  assert.equal(asked.filter((name) => name.endsWith(".js")).length, 1);
  await run(page);
  assert.equal(asked.filter((name) => name.endsWith(".js")).length, 1);
  page.off("request", hear);
});

test("frame: values are printed as literals", async () => {
  const { shown } = await outcomeOf(`
    display("a <b> & c");
    display([1, -0, "x", [2n, null, undefined, NaN]]);
    display({ a: Float32Array.of(1, 0.5), b: new Map([["k", 1]]), c: {} });
    display(new RangeError("no"));
    const round = [1]; round.push(round); display(round);
    console.log("two", 2);
    console.error("bad");
    display(Object.create(null));
  `);
  assert.deepEqual(shown, [
    "a <b> & c",
    `[1, -0, "x", [2, null, undefined, NaN]]`,
    `{ a: Float32Array [1, 0.5], b: Map [["k", 1]], c: {} }`,
    "RangeError: no",
    "[1, [1, [1, [1, [1, [1, …]]]]]]",
    "two 2",
    "bad",
    "[object Object]",
  ]);
});

test("frame: the reader's edits run, and Reset reverts them", async () => {
  const { sinusoidal } = await load();
  const { page, problems } = await openProgram(sinusoids);
  assert.ok(await button(page, "Reset").isDisabled());
  await field(page).fill(sinusoids.replace("(4, 6)", "(2, 4)"));
  assert.equal(await run(page), "");
  assert.deepEqual(await lines(page), [String(sinusoidal.table(2, 4))]);
  await button(page, "Reset").click();
  assert.equal(await field(page).inputValue(), sinusoids);
  await run(page);
  assert.deepEqual(await lines(page), [String(sinusoidal.table(4, 6))]);
  assert.deepEqual(problems, []);
});

test("frame: new code of the page replaces the old code, but not the reader's edits", async () => {
  const { page } = await openProgram("display(1)");
  const show = (/** @type {string} */ code) =>
    page.evaluate((code) => /** @type {any} */ (globalThis).program.show(code), code);
  const edited = () => page.evaluate(() => /** @type {any} */ (globalThis).program.edited);
  await show("display(2)");
  assert.equal(await field(page).inputValue(), "display(2)");
  assert.equal(await edited(), false);

  await field(page).fill("display('mine')");
  assert.equal(await edited(), true);
  await show("display(3)");
  assert.equal(await field(page).inputValue(), "display('mine')");
  assert.match(String(await page.locator(".run-status").textContent()), /your edits are kept/);
  await button(page, "Reset").click();
  assert.equal(await field(page).inputValue(), "display(3)");
  assert.equal(await edited(), false);
});

test("frame: an error is shown beside the program, with its line", async () => {
  const { page } = await openProgram("display(0)");
  const isMended = everyNth(5);
  for (const [code, expected] of /** @type {[string, RegExp][]} */ ([
    ["display(1);\nthrow new RangeError('too far');", /^Line 2: RangeError: too far$/],
    ["\n\nlet a = ;", /^Line 3: SyntaxError: /],
    ["await 0;\n\nnull.x;", /^Line 3: TypeError: /],
    ["setTimeout(() => {\n  nowhere();\n});", /^Line 2: ReferenceError: nowhere is not defined$/],
    ["Promise.reject(\n  new Error('later'));", /^Line 2: Error: later$/],
    ["import torch", /^Line 1: SyntaxError: .*\. Programs on this page are in JavaScript; /],
    ["import 'nothing';", /^TypeError: .*nothing/],
    ["import { nothing } from 'phasor';", /^Line 1: SyntaxError: .*nothing/],
    ["throw { a: 1 };", /^\{ a: 1 \}$/],
    [
      "import { load } from 'phasor';\nconst { rope } = await load();\nrope.apply([[1, 2, 3]]);",
      /^.*(TypeError|RangeError): .*must.*; got /,
    ],
  ])) {
    await field(page).fill(code);
    await button(page, "Run").click();
    const said = async () => String(await page.locator(".wrong").textContent());
    await until(async () => expected.test(await said()), `${expected} is said`);
    assert.equal(await field(page).getAttribute("aria-invalid"), "true");
    if (!isMended()) continue;
    await field(page).fill("display(2)");
    assert.equal(await run(page), "");
    assert.equal(await field(page).getAttribute("aria-invalid"), "false");
  }
});

/** A server that lets anyone read, and what it was asked. */
async function openStranger() {
  /** @type {(string | undefined)[]} */
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.setHeader("Access-Control-Allow-Origin", "*").end("hello");
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.unref(); // so that a failure does not keep the tests alive
  return { url: `http://127.0.0.1:${port}/`, asked };
}

test("frame: a program reaches neither the page, nor its storage, nor the network", async () => {
  const stranger = await openStranger();
  const attempts = {
    page: "parent.document.title",
    opener: "top.document.title",
    cookie: "document.cookie",
    storage: "localStorage.length",
    session: "sessionStorage.length",
    database:
      "await new Promise((y, n) => { const q = indexedDB.open('x'); q.onerror = () => n(q.error); q.onsuccess = y; })",
    caches: "await caches.keys()",
    network: "await fetch(SERVER)",
    beacon: "const sent = navigator.sendBeacon(SERVER); throw sent" /* true even if refused */,
    socket:
      "await new Promise((y, n) => { const s = new WebSocket(SERVER.replace('http', 'ws')); s.onopen = y; s.onerror = n; })",
    image:
      "await new Promise((y, n) => Object.assign(new Image(), { onload: y, onerror: n, src: SERVER + 'icon.svg' }))",
    script: "await import(SERVER + 'index.js')",
    worker:
      "await new Promise((y, n) => { const w = new Worker(SERVER + 'w.js'); w.onerror = n; w.onmessage = y; })",
    top: "top.location.href = SERVER",
    form: "const f = document.createElement('form'); f.action = SERVER; document.body.append(f); f.submit(); throw 0",
    popup: "if (!open(SERVER)) throw 0",
  };
  const code = Object.entries(attempts)
    .map(([name, what]) => {
      const body = what.replace(/^(?!const|if|await|top\.location)/, "return ");
      return `try { await (async () => { ${body} })(); display("${name} open"); } catch { display("${name} shut"); }`;
    })
    .join("\n");
  const { page } = await openProgram(
    `const SERVER = ${JSON.stringify(trial.server.url)};\n${code}`,
    [],
    await trial.open(), // a beacon keeps the frame's process alive, and with it the endless loop of a test below
  );
  await run(page);
  const shown = (await lines(page)).filter((line) => /(open|shut)$/.test(line));
  assert.deepEqual(
    shown,
    Object.keys(attempts).map((name) => `${name} shut`),
  );
  await page.evaluate((url) => fetch(url).catch(() => {}), stranger.url); // the page's policy too
  await fetch(stranger.url);
  assert.deepEqual(stranger.asked, ["/"]); // this one alone
  await until(
    async () =>
      (await lines(page)).some((line) => line.startsWith("A program here has no network;")),
    "the frame says that there is no network",
  );
  assert.equal(page.url(), trial.url);
  assert.equal(page.context().pages().length, 1);
});

test("frame: a program has no WebRTC and cannot get it from a nested frame", async () => {
  const heard = createSocket("udp4");
  let packets = 0;
  heard.on("message", () => ++packets);
  await new Promise((bound) => heard.bind(0, "127.0.0.1", () => bound(undefined)));
  const { port } = heard.address();
  const connect = `
    const made = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] });
    made.createDataChannel("x");
    made.createOffer().then((offer) => made.setLocalDescription(offer));`;
  const { page } = await openProgram(`
    const names = Object.getOwnPropertyNames(globalThis).filter((name) => /RTC/.test(name));
    display(names.length);
    display(typeof webkitRTCPeerConnection);
    try { ${connect} display("open"); } catch (error) { display(error.name); }
    const connect = ${JSON.stringify(connect)} + "parent.postMessage('ran', '*');";
    const script = "<script>" + connect + "</scr" + "ipt>";
    const blob = (type, text) => URL.createObjectURL(new Blob([text], { type }));
    let ran = 0;
    addEventListener("message", ({ data }) => (ran += data === "ran"));
    const loaded = [];
    for (const make of [
      (frame) => {},
      (frame) => (frame.srcdoc = script),
      (frame) => (frame.srcdoc = "<script src='" + blob("text/javascript", connect) + "'></scr" + "ipt>"),
      (frame) => (frame.srcdoc = '<svg onload="' + connect.replaceAll('"', "&quot;") + '">'),
      (frame) => (frame.src = "javascript:" + connect),
      (frame) => (frame.src = blob("text/html", script)),
      (frame) => (frame.src = "data:text/html," + encodeURIComponent(script)),
    ]) {
      for (const kind of ["iframe", "object", "embed"]) {
        const frame = document.createElement(kind);
        make(frame);
        if (frame.src) frame.data = frame.src;
        if (kind === "iframe" && frame.srcdoc) loaded.push(new Promise((next) => (frame.onload = next)));
        document.body.append(frame);
        try { new frame.contentWindow.RTCPeerConnection(); display("open"); } catch { }
      }
    }
    const inline = document.createElement("script");
    inline.textContent = connect;
    document.head.append(inline);
    document.body.insertAdjacentHTML("beforeend", '<img src=x onerror="postMessage(1)">');
    // Frames whose address is refused never load. One more that does comes after them.
    const last = Object.assign(document.createElement("iframe"), { srcdoc: "last" });
    loaded.push(new Promise((next) => (last.onload = next)));
    document.body.append(last);
    await Promise.all(loaded);
    await new Promise((next) => setTimeout(next)); // messages that were sent before are heard
    display(ran);`);
  assert.equal(await run(page), "");
  assert.deepEqual(
    (await lines(page)).filter((line) => !line.startsWith("A program here")),
    ["0", "undefined", "ReferenceError", "0"],
  );
  heard.close();
  assert.equal(packets, 0);
});

test("frame: a program cannot lead its frame to another site", async () => {
  const stranger = await openStranger();
  const { page, problems } = await openProgram(`location.href = ${JSON.stringify(stranger.url)};`);
  await button(page, "Run").click();
  await until(() => /frame-src/.test(problems.join()), "the policy refuses the address");
  await fetch(stranger.url);
  assert.deepEqual(stranger.asked, ["/"]); // this one alone
});

test("frame: the frame runs programs only inside a sandbox", async () => {
  const { page } = await trial.open();
  const html = await readFile(join(trial.outDir, "frame/index.html"), "utf8");
  const headers = { "Content-Type": "text/html" }; // a host that sends no policy
  await page.route("**/frame/plain.html", (route) => route.fulfill({ body: html, headers }));
  const statesOf = (/** @type {boolean} */ isSandbox) =>
    page.evaluate(async (isSandbox) => {
      const frame = document.createElement("iframe");
      if (isSandbox) frame.setAttribute("sandbox", "allow-scripts");
      /** @type {unknown[]} */
      const said = [];
      addEventListener("message", ({ data }) => data.state && said.push(data.state));
      frame.src = "/frame/plain.html";
      document.body.append(frame);
      await new Promise((loaded) => (frame.onload = loaded));
      // Without a sandbox the frame's window can be listened to; in one, it says how the program ended.
      const handled = new Promise((pass) => {
        if (!isSandbox) frame.contentWindow?.addEventListener("message", pass);
        else addEventListener("message", ({ data }) => data.state === "failed" && pass(data));
      });
      const code = "parent.document.title = 'reached'";
      frame.contentWindow?.postMessage({ program: { code, modules: {}, files: {} } }, "*");
      await handled;
      return said;
    }, isSandbox);
  assert.deepEqual(await statesOf(false), []);
  assert.equal(await page.title(), "Trial");
  assert.deepEqual(await statesOf(true), ["ready", "failed"]);
  assert.equal(await page.title(), "Trial");
});

test("frame: an endless loop leaves the page running, and Stop ends it", async () => {
  const { page, problems } = await openProgram("display(1);\nfor (;;);");
  await button(page, "Run").click();
  await page.locator(".run-status", { hasText: "Running …" }).waitFor();
  await page.evaluate(async () => {
    for (let i = 0; i < 20; i++) await new Promise((next) => requestAnimationFrame(next));
  }); // a page that hangs never comes here
  assert.equal(await page.locator(".run-status").textContent(), "Running …");
  await button(page, "Stop").click();
  await page.locator(".run-status", { hasText: /^Stopped\.$/ }).waitFor();
  assert.equal(await page.locator("iframe").count(), 0);
  await field(page).fill("display('again')");
  assert.equal(await run(page), "");
  assert.deepEqual(await lines(page), ["again"]);
  assert.deepEqual(problems, []);
});

test("frame: hostile output stays text, and long output is truncated", async () => {
  const evil = `<img src=x onerror="parent.postMessage({state:'failed',words:'ran'},'*')">`;
  const { page } = await openProgram(
    `display(${JSON.stringify(evil)}); console.log({ toString: () => ${JSON.stringify(evil)} });
     throw new Error(${JSON.stringify(evil)});`,
  );
  assert.equal(await run(page), `Line 2: Error: ${evil}`);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(await lines(page), [evil, evil]);
  assert.equal(await output(page).locator("img").count(), 0);

  await field(page).fill(`for (let i = 0; i < 1e4; ++i) display(i);`);
  assert.equal(await run(page), "");
  assert.equal((await lines(page)).length, 999);
  await field(page).fill(`display("x".repeat(1e6)); parent.postMessage({ height: 1e9 }, "*");
    parent.postMessage({ state: "failed", words: {}, line: "<b>" }, "*"); parent.postMessage(null, "*");`);
  await run(page);
  assert.ok((await lines(page))[0].length < 20_100);
  const { height } = /** @type {{height: number}} */ (await page.locator("iframe").boundingBox());
  assert.ok(height <= 20_000);
});

test(
  "frame: a program that posts thousands of heights is stopped and does not hold the page",
  atNight,
  async () => {
    const { page, problems } = await openProgram(`
    setInterval(() => { for (let i = 0; i < 2000; i++) parent.postMessage({ height: i * 10 }, "*"); }, 0);
    display("sent");`);
    await button(page, "Run").click();
    const words = "The program is stopped: it posts too many heights of its frame.";
    await page.locator(".wrong", { hasText: words }).waitFor();
    assert.equal(await page.locator("iframe").count(), 0);
    assert.equal(await page.locator(".run-status").textContent(), "Stopped.");
    await field(page).fill("display('again')");
    assert.equal(await run(page), "");
    assert.deepEqual(await lines(page), ["again"]);
    assert.deepEqual(problems, []);
  },
);

test("frame: lines that a program posts to the page add no elements to it", async () => {
  const { page, problems } = await openProgram(`
    for (let i = 0; i < 5000; i++) parent.postMessage({ printed: "line " + i }, "*");
    display("sent");`);
  assert.equal(await run(page), "");
  assert.deepEqual(await lines(page), ["sent"]);
  assert.equal(await page.locator(".result pre").count(), 0);
  assert.deepEqual(problems, []);
});

test("frame: its height follows its content", async () => {
  const { page } = await openProgram(`
    const div = document.createElement("div");
    div.style.height = "700px";
    display(div);`);
  await run(page);
  await page.waitForFunction(() => {
    const { height } = /** @type {Element} */ (
      document.querySelector("iframe")
    ).getBoundingClientRect();
    return height >= 700 && height < 720;
  });
});

test("frame: a long text scrolls within a result of bounded height", async () => {
  const { page } = await openProgram(`display("number\\n".repeat(768)); display("end")`);
  await run(page);
  const height = await output(page)
    .locator("pre")
    .first()
    .evaluate((pre) => pre.clientHeight);
  assert.ok(height > 100 && height < 450, `${height} px`);
});

test("frame: a program fetches the files that the page gave it, and only these", async () => {
  const { page } = await openProgram(
    `const response = await fetch(${JSON.stringify(`${trial.url}../icon.svg`.replace("trial/../", ""))});
     display((await response.text()).slice(0, 4));
     await fetch(${JSON.stringify(`${trial.server.url}manifest.webmanifest`)});`,
    ["../icon.svg"],
  );
  assert.match(String(await run(page)), /Failed to fetch/);
  assert.equal((await lines(page))[0], "<svg");
});

test("frame: Tab indents while typing, and moves the focus after Escape", async () => {
  const { page } = await openProgram("one");
  await field(page).focus();
  await page.keyboard.press("Tab"); // nothing typed: it leaves
  assert.ok(await button(page, "Run").evaluate((e) => e === document.activeElement));
  await field(page).focus();
  await page.keyboard.press("End");
  await page.keyboard.type(";");
  await page.keyboard.press("Tab");
  assert.equal(await field(page).inputValue(), "one;  ");
  await page.keyboard.press("Control+z");
  assert.doesNotMatch(await field(page).inputValue(), / $/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.ok(await button(page, "Run").evaluate((e) => e === document.activeElement));
  await field(page).fill("display('by key')");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() =>
    document.querySelector(".run-status")?.textContent?.startsWith("End"),
  );
  assert.deepEqual(await lines(page), ["by key"]);
});

test(
  "frame: it has the page's theme, axe reports nothing, nothing overflows",
  atNight,
  async () => {
    const code = `${sinusoids}console.error("bad"); console.warn("odd"); nowhere();`;
    /** @type {[colorScheme: "light" | "dark", width: number][]} */
    const looks = [
      ["dark", 1280],
      ["light", 360],
    ];
    for (const [colorScheme, width] of looks) {
      await shared.page.emulateMedia({ colorScheme });
      await shared.page.setViewportSize({ width, height: 740 });
      const { page, problems } = await openProgram(code);
      assert.match(String(await run(page)), /nowhere/);
      const colors = () =>
        output(page).evaluate((main) => [
          getComputedStyle(main).color,
          matchMedia("(prefers-color-scheme: dark)").matches,
        ]);
      const ink = await page.evaluate(() => getComputedStyle(document.body).color);
      assert.deepEqual(await colors(), [ink, colorScheme === "dark"]);
      const found = await violations(page, [colorScheme]); // the page and its frame have a main each
      assert.deepEqual(found.filter((each) => !each.includes("landmark-unique")), []); // prettier-ignore
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} px wide in ${width}`);
      assert.deepEqual(problems.filter((text) => !/bad|nowhere/.test(text)), []); // prettier-ignore

      await page.emulateMedia({ colorScheme: colorScheme === "dark" ? "light" : "dark" });
      const color = () => page.evaluate(() => getComputedStyle(document.body).color);
      await until(async () => (await color()) !== ink, "the page takes the other theme");
      const other = JSON.stringify([await color(), colorScheme === "light"]);
      await until(async () => JSON.stringify(await colors()) === other, "its frame does as well");
    }
  },
);

test("frame: a long-running program is reported", async () => {
  await shared.page.clock.install(); // of this page from now on: the last tests
  const { page } = await openProgram("display(1); await new Promise(() => {});");
  await button(page, "Run").click();
  await output(page).getByText("1").waitFor();
  await page.clock.fastForward(10_001);
  await page.waitForFunction(() =>
    /Still running after 10 seconds/.test(
      String(document.querySelector(".run-status")?.textContent),
    ),
  );
});

test("frame: if a frame does not respond, a new one is opened, with a message", async () => {
  const { page } = await openProgram("display('there')");
  let asked = 0;
  const refused = { count: 1 };
  await page.route(
    "**/frame/index.html",
    (route) => (++asked > refused.count ? route.continue() : undefined), // never answered, as by a process that hangs
  );
  await button(page, "Run").click();
  await until(() => asked === 1, "the first frame is asked for");
  await page.clock.fastForward(5_001);
  await until(() => asked === 2, "another one is");
  await page.waitForFunction(() =>
    document.querySelector(".run-status")?.textContent?.startsWith("Ended"),
  );
  assert.deepEqual(await lines(page), ["there"]);
  assert.equal(await page.locator("iframe").count(), 1);

  refused.count = 99;
  await button(page, "Run").click();
  for (const count of [3, 4, 5]) {
    await until(() => asked === count, `frame ${count} is asked for`);
    if (count > 3) {
      const said = String(await page.locator(".run-status").textContent());
      assert.match(said, /^The frame for programs does not answer; another one is opened …$/);
    }
    await page.clock.fastForward(5_001);
  }
  await page.waitForFunction(() => document.querySelector(".wrong")?.textContent !== "");
  assert.match(String(await page.locator(".wrong").textContent()), /could not be loaded/);
  assert.equal(asked, 5);
});
