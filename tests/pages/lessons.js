// What every lesson keeps to, whatever it teaches. Each check gives the faults that it found, as
// sentences; none is what a lesson should have.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { npy } from "phasor/files";
import { project } from "../../scripts/setup/setup.js";
import { standalone } from "../../web/app/standalone.js";
import { sampled } from "../sample.js";
import { until } from "../until.js";
import { bytesOf } from "./browser.js";
import { complaint, controls, numbers, put } from "./controls.js";
import { frames, settled } from "./pages.js";
import { valueAt } from "../../web/app/questions/verdict.js";

const execute = promisify(execFile);

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./controls.js").Control} Control */

/**
 * Another value for a control that changes a figure, or what was found instead.
 *
 * @param {Page} page
 * @param {Control} control
 * @param {string[]} before  the figures' numbers
 */
async function effective(page, { name, others }, before) {
  let fault = `${name} has no other legal value`;
  const already = await complaint(page);
  for (const value of others) {
    await put(page, name, value);
    await settled(page);
    const wrong = await complaint(page);
    if (wrong !== already) fault = `${name} at ${value}: ${wrong}`;
    else if (String(await numbers(page)) !== String(before)) return { value, fault: null };
    else fault = `${name} changes no figure, be it ${others.join(" or ")}`;
  }
  return { value: null, fault };
}

/**
 * Every control changes a figure, and set back brings its numbers back.
 * @param {Page} page @param {number} [most]  the number of controls to try, from the first
 */
export async function controlFaults(page, most = Infinity) {
  const before = await numbers(page);
  const faults = [];
  const found = await controls(page);
  if (found.length === 0) faults.push("there are no controls");
  if (before.length === 0) faults.push("there are no figures");
  for (const control of found.slice(0, most)) {
    const { fault } = await effective(page, control, before);
    if (fault) faults.push(fault);
    await put(page, control.name, control.value);
    await settled(page);
    if (String(await numbers(page)) !== String(before)) {
      faults.push(`${control.name} set back to ${control.value} does not bring its figures back`);
    }
  }
  return faults;
}

/**
 * The address holds the controls: opened anew, it shows the same; and a link within the page leaves
 * them alone.
 *
 * @param {Page} page
 * @param {(address: string) => Promise<unknown>} open  opens another address on the same page
 */
export async function addressFaults(page, open) {
  const initial = await controls(page);
  for (const control of initial) {
    const { value } = await effective(page, control, await numbers(page));
    if (value === null) await put(page, control.name, control.value);
  }
  await settled(page);
  const changed = (await controls(page)).filter(({ name, value }) =>
    initial.some((control) => control.name === name && control.value !== value),
  );
  await addressed(page, changed);
  const state = async () => ({
    controls: Object.fromEntries((await controls(page)).map(({ name, value }) => [name, value])),
    figures: await numbers(page),
  });
  const here = await state();
  const faults = [];
  await open(page.url());
  const there = await state();
  for (const [name, value] of Object.entries(here.controls)) {
    const other = there.controls[name];
    if (other !== value) faults.push(`the address gives ${name} ${other}, which was ${value}`);
  }
  if (String(there.figures) !== String(here.figures)) {
    faults.push("the address gives other figures");
  }

  if (await page.locator(".skip").count()) {
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    await settled(page);
    if (JSON.stringify(await state()) !== JSON.stringify(there)) {
      faults.push("the link to the content changes the controls");
    }
  }
  return faults;
}

/** Until the address, which follows after a pause, holds what these controls are set to. @param {Page} page @param {Control[]} set */
async function addressed(page, set) {
  const isThere = () => {
    const settings = new URLSearchParams(new URL(page.url()).hash.slice(1));
    return set.every(({ name, value }) => settings.get(name) === value);
  };
  await until(isThere, `the address holds ${set.map(({ name }) => name).join(", ")}`);
}

/**
 * Every question judges every answer in words; of its choices one is right; a number may be written in several ways, and
 * an exercise says it only after the second answer; over a drawn curve the computed one appears, which is right when it is drawn.
 *
 * @param {Page} page @param {number} [share]  of the questions that are asked, from 0 to 1 (`sampled`)
 */
export async function questionFaults(page, share = 1) {
  const faults = [];
  const names = await page
    .locator("[data-question]")
    .evaluateAll((all) =>
      all.map((question) => /** @type {HTMLElement} */ (question).dataset.question ?? ""),
    );
  if (names.length === 0) faults.push("there are no questions");
  for (const name of sampled(names, share)) {
    const question = page.locator(`[data-question="${name}"]`);
    if (await question.locator(".ask").isEnabled()) {
      faults.push(`${name} can be asked before it is answered`);
    }
    const found = await answerFaults(question);
    faults.push(...found.map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

/** @param {import("playwright-core").Locator} question */
async function answerFaults(question) {
  const choices = await question.locator('input[type="radio"]').count();
  if (choices > 0) return choiceFaults(question, choices);
  if ((await question.locator(".sort").count()) > 0) return sortFaults(question);
  return (await question.locator(".draw").count()) > 0
    ? drawingFaults(question)
    : numberFaults(question);
}

/** @param {import("playwright-core").Locator} question */
async function sortFaults(question) {
  const items = question.locator("[data-item]");
  for (const item of await items.all()) await item.getByRole("button").first().click();
  const { words } = await answer(question);
  const faults = words === "" ? ["no word about the groups"] : [];
  const why = await items.locator(".why").allInnerTexts();
  const mute = why.filter((each) => !/^(Yes|No): \w+\. ./.test(each)).length;
  if (mute > 0) faults.push(`no word about ${mute} of its things`);
  const groups = why.map((each) => each.split(/[:.] ?/)[1]);
  for (const [i, item] of (await items.all()).entries())
    await item.getByRole("button", { name: groups[i], exact: true }).click();
  if (!(await answer(question)).right) faults.push("the groups that it says are not right");
  return faults;
}

/** @param {import("playwright-core").Locator} question @param {number} choices */
async function choiceFaults(question, choices) {
  const right = [];
  for (let choice = 0; choice < choices; ++choice) {
    const verdict = await answer(question, { choice });
    if (verdict.words === "") return [`no word about ${verdict.value}`];
    if (verdict.right) right.push(verdict.value);
  }
  return right.length === 1 ? [] : [`${right.length} choices are right (${right.join(", ")})`];
}

/** @param {import("playwright-core").Locator} question */
async function drawingFaults(question) {
  const first = question.locator(".handle[tabindex='0']");
  await first.press("ArrowUp");
  await first.press("End"); // one point alone: a level line
  const level = await answer(question);
  const faults = level.words === "" ? ["no word about the curve"] : [];
  if (level.right) faults.push("a level line at the top is taken for right");
  const truth = (await question.locator(".truth").getAttribute("d")) ?? "";
  if (!/^M[-\d.]+ [-\d.]+L/.test(truth)) return [...faults, "no computed curve"];
  await drawAlong(question, truth);
  const drawn = await answer(question);
  if (!drawn.right) faults.push(`the computed curve, drawn, is not right: ${drawn.words}`);
  for (const [name, points] of Object.entries(await wrongShapes(question))) {
    const { right } = await answer(question, { drawn: points.join(" ") });
    if (right) faults.push(`${name} is taken for right`);
  }
  return faults;
}

/** Flat and straight lines, and what was drawn last in a mirror. @param {import("playwright-core").Locator} question */
async function wrongShapes(question) {
  const ys = (await question.locator("input").inputValue()).split(" ").map(Number);
  const { min, max } = await question
    .locator(".draw")
    .evaluate((place) => ({ .../** @type {HTMLElement} */ (place).dataset }));
  const [least, most, last] = [Number(min), Number(max), ys.length - 1];
  const straight = (/** @type {number} */ from, /** @type {number} */ to) =>
    ys.map((_, i) => from + (i / last) * (to - from));
  const mean = ys.reduce((sum, y) => sum + y, 0) / ys.length;
  const [through, slope] = fitted(ys);
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const levels = Array.from({ length: 21 }, (_, i) => least + (i / 20) * (most - least));
  return {
    ...Object.fromEntries(levels.map((y) => [`a flat line at ${y}`, straight(y, y)])),
    "a flat line at the mean": straight(mean, mean),
    "a line from its first to its last point": straight(ys[0], ys[last]),
    "the straight line nearest to it": straight(through, through + slope * last),
    "a line from the bottom to the top": straight(least, most),
    "a line from the top to the bottom": straight(most, least),
    "the curve from right to left": ys.toReversed(),
    "the curve upside down": ys.map((y) => low + high - y),
    "the curve, bent the other way": ys.map((y, i) => 2 * (through + slope * i) - y),
  };
}

/** The straight line of least squares: its first point and its step. @param {number[]} ys @returns {[number, number]} */
function fitted(ys) {
  const middle = (ys.length - 1) / 2;
  const mean = ys.reduce((sum, y) => sum + y, 0) / ys.length;
  const rise = ys.reduce((sum, y, i) => sum + (i - middle) * y, 0);
  const slope = rise / ys.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  return [mean - slope * middle, slope];
}

/** Draws over the computed curve with the pointer, from point to point. @param {import("playwright-core").Locator} question @param {string} truth  its path */
async function drawAlong(question, truth) {
  const area = question.locator(".draw-area");
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  const [, , width, height] = String(await area.locator("svg").getAttribute("viewBox"))
    .split(" ")
    .map(Number);
  const curve = truth
    .slice(1)
    .split("L")
    .map((point) => /** @type {[number, number]} */ (point.split(" ").map(Number)));
  const shares = await question
    .locator(".handle")
    .evaluateAll((all) =>
      all.map((handle) => Number.parseFloat(/** @type {HTMLElement} */ (handle).style.left) / 100),
    );
  if (!box) throw new Error("the area to draw in has no size");
  const { mouse } = question.page();
  const at = (/** @type {number} */ share) => {
    const y = valueAt(curve, share * width);
    const inside = Math.min(height - 1, Math.max(1, y)); // not on the edge, which is the next element's
    return /** @type {const} */ ([
      box.x + share * box.width,
      box.y + (inside / height) * box.height,
    ]);
  };
  await mouse.move(...at(shares[0]));
  await mouse.down();
  for (const share of shares) await mouse.move(...at(share));
  await mouse.up();
}

/** @param {import("playwright-core").Locator} question */
async function numberFaults(question) {
  const faults = [];
  const said = (/** @type {string} */ text) => answer(question, { text });
  const unread = await said("abc");
  if (unread.isJudged || !unread.words.includes("not a number"))
    faults.push("abc is taken for an answer");

  const first = await said("-987654321");
  if (first.right) return [...faults, "-987654321 is taken for right"];
  const isExercise = (await question.getAttribute("data-kind")) === "exercise";
  const last = isExercise ? await said("-987654322") : first;
  const right = await firstOf(numbersIn(last.words), async (each) => (await said(each)).right);
  if (right === undefined) {
    return [...faults, `none of the numbers in its explanation is right: ${last.words}`];
  }
  if (isExercise && first.words === "") faults.push("no word about the first answer");
  if (isExercise && numbersIn(first.words).includes(right)) {
    faults.push(`it says ${right} after the first answer: ${first.words}`);
  }
  for (const way of waysToWrite(right)) {
    if (!(await said(way)).right) faults.push(`it refuses ${way} for ${right}`);
  }
  return faults;
}

/** @template Item @param {readonly Item[]} all @param {(item: Item) => Promise<boolean>} isIt */
async function firstOf(all, isIt) {
  for (const each of all) if (await isIt(each)) return each;
  return undefined;
}

/** The numbers that a text says: as a power of ten, or with what belongs to a sentence behind them. @param {string} words */
function numbersIn(words) {
  const said = words.replaceAll("\u2212", "-").replace(/(\d)[,\u00a0\u202f ](?=\d{3}\b)/g, "$1");
  return [...new Set(said.match(/-?\d+(\.\d+)?(e[+-]?\d+)?/g) ?? [])];
}

/** The same number as other readers write it. @param {string} number */
function waysToWrite(number) {
  const ways = [`\u2248 ${number}`, `${number} things`, `${number}/1`];
  if (number.startsWith("-")) ways.push(number.replace("-", "\u2013"));
  if (/^-?\d{4,}$/.test(number)) ways.push(Number(number).toLocaleString("en"));
  const isAmbiguous = /^-?[1-9]\d{0,2}\.\d{3}$/.test(number); // 1,234 for 1.234
  if (number.includes(".") && !isAmbiguous) ways.push(number.replace(".", ","));
  return ways;
}

/**
 * Gives an answer where a pointer would reach it, asks for the verdict and waits for it. All this is one command to the
 * page, since a lesson is asked some fifty times. What covers the middle of an element is an error.
 *
 * @param {import("playwright-core").Locator} question
 * @param {{ choice?: number, text?: string, drawn?: string }} [given]  nothing: what the form holds
 * @returns {Promise<{ right: boolean, isJudged: boolean, words: string, value: string }>}
 */
async function answer(question, given = {}) {
  const said = await question.evaluate(async (form, { choice, text, drawn }) => {
    /** @param {Element | null} element */
    const press = (element) => {
      const pressed = /** @type {HTMLElement & { labels?: NodeList }} */ (element);
      const inMiddle = () => {
        const { left, top, width, height } = pressed.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2);
      };
      const isReached = () => {
        const there = inMiddle();
        return [pressed, ...(pressed.labels ?? [])].some((each) => each.contains(there));
      };
      if (!isReached()) pressed.scrollIntoView({ block: "center", behavior: "instant" });
      if (!isReached()) {
        const above = inMiddle()?.outerHTML.slice(0, 200);
        throw new Error(`${pressed.outerHTML} is covered by ${above}`);
      }
      pressed.click();
    };
    const verdict = /** @type {HTMLElement} */ (form.querySelector(".verdict"));
    if (choice !== undefined) press(form.querySelectorAll('input[type="radio"]')[choice]);
    if (text !== undefined) {
      const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
      press(input);
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (drawn !== undefined) {
      const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
      input.value = drawn;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
    press(form.querySelector(".ask"));
    const isSaid = () =>
      verdict.dataset.right !== undefined || /^(?!Computing)./.test(verdict.innerText);
    if (!isSaid()) {
      await new Promise((next) => {
        const watch = new MutationObserver(() => isSaid() && next(watch.disconnect()));
        watch.observe(verdict, { attributes: true, childList: true });
      });
    }
    return {
      right: verdict.dataset.right,
      words: /** @type {HTMLElement} */ (form.querySelector(".outcome")).innerText,
      value: String(new FormData(/** @type {HTMLFormElement} */ (form)).get("answer")),
    };
  }, given);
  if (![undefined, "true", "false"].includes(said.right))
    throw new Error(`data-right is ${said.right}`);
  return {
    ...{ right: said.right === "true", isJudged: said.right !== undefined },
    ...{ words: said.words.trim(), value: said.value },
  };
}

/**
 * A figure's four files hold what they should. The first figure's arrive as downloads; of eleven within a second
 * Chromium drops one, so the others are taken from the page where it hands them to the browser.
 *
 * @param {Page} page
 * @param {Page} reader  a page without a policy, to read them in
 * @param {{ of?: "every figure" | "a figure of each kind" }} [which]
 */
export async function exportFaults(page, reader, { of = "every figure" } = {}) {
  const faults = [];
  const kinds = new Set();
  const count = await page.locator("figure.phasor-figure").count();
  for (let i = 0; i < count; ++i) {
    const figure = page.locator("figure.phasor-figure").nth(i);
    const near = figure.locator("xpath=(.//* | following-sibling::*)[contains(@class, 'export')]");
    const menu = near.and(page.locator(".export")).first();
    if ((await menu.count()) === 0) {
      faults.push(`figure ${i} has no exports`);
      continue;
    }
    const kind = await figure.getAttribute("data-kind");
    if (of === "a figure of each kind" && kinds.has(kind)) continue;
    if ((await menu.getAttribute("open")) === null) await menu.locator("summary").click();
    /** @param {string} label @param {(bytes: Buffer) => string[] | Promise<string[]>} faultsOf */
    const check = async (label, faultsOf) => {
      const button = menu.getByRole("button", { name: label, exact: true });
      const found = await (i === 0 ? downloaded(page, button) : handedOver(page, button))
        .then(faultsOf)
        .catch((error) => [error.message]);
      faults.push(...found.map((fault) => `figure ${i} (${kind}), ${label}: ${fault}`));
    };
    // A PNG is drawn from the SVG: the slowest, and one of each kind shows it.
    if (!kinds.has(kind)) await check("PNG", (bytes) => pngFaults(bytes, reader));
    kinds.add(kind);
    await check("SVG", (bytes) => svgFaults(bytes, reader));
    let csv = "";
    await check("CSV", (bytes) => csvFaults((csv = bytes.toString())));
    await check(".npy", (bytes) => npyFaults(bytes, csv));
  }
  return faults;
}

/** The file that a button downloads. @param {Page} page @param {import("playwright-core").Locator} button */
async function downloaded(page, button) {
  const arrival = page.waitForEvent("download");
  arrival.catch(() => {}); // told where it is awaited
  await button.click();
  return bytesOf(await arrival);
}

/** The file that a button would download. @param {Page} page @param {import("playwright-core").Locator} button */
async function handedOver(page, button) {
  const handed = await page.evaluateHandle(() => {
    const { createObjectURL } = URL;
    /** @type {Map<string, any>} */
    const blobs = new Map();
    URL.createObjectURL = (blob) => {
      const address = createObjectURL(blob);
      blobs.set(address, blob);
      return address;
    };
    /** @type {Promise<Blob>} */
    const file = new Promise((found) => {
      HTMLAnchorElement.prototype.click = function () {
        URL.createObjectURL = createObjectURL;
        Reflect.deleteProperty(HTMLAnchorElement.prototype, "click");
        found(this.download === "" ? undefined : blobs.get(this.href));
      };
    });
    return { file };
  });
  await button.click();
  const base64 = await handed.evaluate(async ({ file }) => {
    const reader = new FileReader();
    reader.readAsDataURL(await file);
    await new Promise((read) => (reader.onload = read));
    return String(reader.result).split(",")[1];
  });
  return Buffer.from(base64, "base64");
}

/** @param {Buffer} bytes @param {Page} reader */
async function pngFaults(bytes, reader) {
  if (!bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))) return ["no PNG"];
  const colors = await reader.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }, bytes.toString("base64"));
  return colors > 2 ? [] : [`it has ${colors} colors`];
}

/** @param {Buffer} bytes @param {Page} reader */
async function svgFaults(bytes, reader) {
  return reader.evaluate((text) => {
    const { documentElement: root } = new DOMParser().parseFromString(text, "image/svg+xml");
    const faults = [];
    const error = root.ownerDocument.querySelector("parsererror");
    if (error) faults.push(String(error.textContent));
    if (root.namespaceURI !== "http://www.w3.org/2000/svg") faults.push("its root is no svg");
    if (root.children.length === 0) faults.push("it is empty");
    if (root.querySelector("script, foreignObject")) faults.push("it holds more than a picture");
    return faults;
  }, bytes.toString());
}

/** @param {string} csv */
function csvFaults(csv) {
  const [header, ...rows] = cells(csv);
  const faults = [];
  if (header.every((name) => name !== "" && !Number.isNaN(Number(name)))) {
    faults.push(`its header has no name: ${header.slice(0, 5).join()}`);
  }
  if (rows.length === 0) faults.push("it has no rows");
  const uneven = rows.find((row) => row.length !== header.length);
  if (uneven) faults.push(`a row of ${uneven.length} cells below ${header.length} names`);
  return faults;
}

/**
 * The file's numbers are those of the CSV, which may hold more: positions, wavelengths, angles.
 * @param {Buffer} bytes @param {string} csv
 */
async function npyFaults(bytes, csv) {
  const { data, shape } = await npy.read(bytes);
  const values = Array.from(/** @type {Iterable<number>} */ (data), Number);
  if (values.length === 0) return [`it is empty, of shape ${shape}`];
  const [, ...rows] = cells(csv);
  const said = new Set(rows.flat().map((cell) => Math.fround(Number(cell.replace(/^'/, "")))));
  const missing = values.find((x) => Number.isFinite(x) && !said.has(Math.fround(x)));
  return missing === undefined ? [] : [`its ${missing} does not stand in the CSV`];
}

/** A CSV's cells by rows, quotes read. @param {string} csv */
function cells(csv) {
  /** @type {string[][]} */
  const rows = [[]];
  for (const [, cell, end] of csv.trimEnd().matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/g)) {
    const text = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
    rows[rows.length - 1].push(text);
    if (end === "") break;
    if (end !== ",") rows.push([]);
  }
  return rows;
}

/**
 * Every piece of code on the page runs in its frame without an error.
 * @param {Page} page
 */
export async function codeFaults(page) {
  const faults = [];
  const all = page.locator(".runnable:not([data-task] *)"); // a task's is tested by write.test.js
  const places = await page.locator("[data-code]").count();
  if ((await all.count()) < places) faults.push(`${places} places for code, some not runnable`);
  for (let i = 0; i < (await all.count()); ++i) {
    const runnable = all.nth(i);
    await runnable.evaluate((at) => at.closest("details")?.setAttribute("open", ""));
    const run = runnable.getByRole("button", { name: "Run", exact: true });
    await run.scrollIntoViewIfNeeded();
    await frames(page); // until then a click may reach the frame that was there before the scroll
    await run.click();
    const wrong = runnable.locator(".wrong:not(:empty)");
    const ended = runnable.locator(".run-status").filter({ hasText: /^Ended/ });
    await ended
      .or(wrong)
      .first()
      .waitFor()
      .catch(() => {}); // told below
    if (await wrong.count()) faults.push(`code ${i}: ${await wrong.innerText()}`);
    else if (!(await ended.count())) faults.push(`code ${i} does not end`);
  }
  return faults;
}

/**
 * Every piece of code, as it is copied, runs in Node beside the packages that its first line names.
 * @param {Page} page
 */
export async function copyFaults(page) {
  const codes = await page
    .locator(".runnable:not([data-task] *) textarea")
    .evaluateAll((all) => all.map((each) => /** @type {HTMLTextAreaElement} */ (each).value));
  const parent = join(project, "build", "copied"); // where these packages are found
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "of-a-page-"));
  const runs = codes.map(async (code, i) => {
    const path = join(folder, `${i}.mjs`);
    writeFileSync(path, standalone(code));
    const fault = await execute(process.execPath, [path], { cwd: folder }).then(
      () => "",
      ({ stderr }) => `copy ${i}: ${stderr}`,
    );
    const named = /npm install (.+)/.exec(standalone(code))?.[1].split(" ") ?? ["phasor"];
    const needed = [...standalone(code).matchAll(/^import .* from "(@\w+\/\w+|\w+)/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== "node" && !named.includes(name));
    return [fault, ...needed.map((name) => `copy ${i} needs ${name}`)].filter(Boolean);
  });
  const faults = (await Promise.all(runs)).flat();
  rmSync(folder, { recursive: true });
  return faults;
}

/**
 * Long work can be begun and stopped, and leaves the page settled.
 * @param {Page} page
 */
export async function actionFaults(page) {
  const faults = [];
  const all = page.locator("[data-action]");
  for (let i = 0; i < (await all.count()); ++i) {
    const action = all.nth(i);
    const name = await action.getAttribute("data-action");
    await action.locator(".begin").click();
    const stop = action.locator(".cancel");
    // Once it has begun; it may end before it is stopped.
    await stop
      .waitFor({ timeout: 2000 })
      .then(() => stop.click({ timeout: 2000 }))
      .catch(() => {});
    await stop.waitFor({ state: "hidden" }).catch(() => {
      faults.push(`${name} cannot be stopped`);
    });
    await settled(page);
    if ((await action.locator(".note").innerText()) === "") faults.push(`${name} ends wordless`);
  }
  return faults;
}
