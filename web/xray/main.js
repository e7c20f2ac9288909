// X-ray of a context length: one or two configurations, and a length, which the address holds.

import { load } from "phasor";
import { models } from "phasor/models";
import { busy } from "../app/busy.js";
import { onFiles } from "../app/chosen-files.js";
import { number } from "../app/controls.js";
import { byId, make } from "../app/dom.js";
import { showError, showFailure } from "../app/errors.js";
import { count } from "../app/numbers.js";
import { urlSettings, urlState } from "../app/url-state.js";
import { isKnown, Side } from "./side.js";
import "./style.css";

const FIRST = "llama-3.1-8b";

/** The longest text, tokens, and the powers of two that the slider goes over. */
const LONGEST = 2 ** 24;
const POWERS = { least: 4, most: 24 };

const slider = /** @type {HTMLInputElement} */ (byId("slider"));
const field = /** @type {HTMLInputElement} */ (byId("length"));

/** The length that the reader asked for; undefined: the first model's own. @type {number | undefined} */
let asked;
let isPending = false;

const first = new Side("first", changed);
const second = new Side("second", changed);

const save = urlState({
  read(settings) {
    restore(settings);
    changed();
  },
  *entries() {
    if (first.name !== undefined && first.name !== FIRST) yield ["model", first.name];
    if (second.name !== undefined) yield ["second", second.name];
    if (asked !== undefined) yield ["length", String(asked)];
  },
});

/** Sets the page to an address. @param {URLSearchParams} settings */
function restore(settings) {
  const [name, other] = ["model", "second"].map((key) => settings.get(key) ?? "");
  first.setName(isKnown(name) ? name : FIRST);
  second.setName(isKnown(other) ? other : "");
  asked = lengthOf(settings.get("length") ?? "");
  field.value = ""; // of another address
  showError("length", "");
}

/** A typed length, if it is one. @param {string} text */
function lengthOf(text) {
  const length = number(text);
  return Number.isInteger(length) && length >= 1 && length <= LONGEST ? length : undefined;
}

/** Shows both in the next frame: a slider reports more often than a reader can see. */
function changed() {
  save();
  if (isPending) return;
  isPending = true;
  busy(1);
  requestAnimationFrame(async () => {
    isPending = false;
    try {
      await show();
    } catch (error) {
      showFailure(error);
    } finally {
      busy(-1);
    }
  });
}

async function show() {
  const length = (await first.show(asked)) ?? asked;
  await second.show(length);
  byId("remove").hidden = second.isEmpty;
  byId("answers").classList.toggle("two", second.length !== undefined);
  if (length !== undefined) return showLength(length);
  if (document.activeElement !== field) field.value = "";
  byId("length-note").textContent = "";
}

/** @param {number} length */
function showLength(length) {
  const power = Math.log2(length);
  const isWhole = Number.isInteger(power);
  const note = byId("length-note");
  slider.value = String(power);
  slider.setAttribute(
    "aria-valuetext",
    `${count(length)} tokens${isWhole ? `, 2 to the ${power}` : ""}`,
  );
  if (document.activeElement !== field) {
    field.value = String(length);
    showError("length", "");
  }
  const whose =
    asked !== undefined ? "" : `the ${second.isEmpty ? "" : "first "}model’s own length`;
  note.replaceChildren(
    ...(isWhole ? ["= 2", make("sup", {}, String(power))] : []),
    isWhole && whose ? ", " : "",
    whose,
  );
}

/** Reads the field for the length. */
function typed() {
  const isEmpty = field.value.trim() === "";
  const length = lengthOf(field.value);
  const isWrong = length === undefined && !isEmpty;
  showError("length", isWrong ? `Tokens: type a whole number from 1 to ${count(LONGEST)}.` : "");
  if (isWrong) return;
  asked = length;
  changed();
}

/** @param {File[]} files */
function open(files) {
  const [one, other, ...more] = files;
  showError("files", more.length > 0 ? `Two files at most are shown; got ${files.length}.` : "");
  if (more.length > 0) return;
  first.open(one);
  if (other) second.open(other);
}

function begin() {
  for (const name of models.names) byId("names").append(make("option", { value: name }));
  for (let power = POWERS.least; power <= POWERS.most; ++power)
    byId("powers").append(make("option", { value: power }));
  byId("ask").addEventListener("submit", (event) => event.preventDefault()); // nothing is sent
  slider.addEventListener("input", () => {
    asked = Math.round(2 ** Number(slider.value));
    changed();
  });
  field.addEventListener("input", typed);
  field.addEventListener("change", () => {
    if (field.value.trim() === "") field.value = String(first.length ?? "");
  });
  byId("own").addEventListener("click", () => {
    asked = undefined;
    changed();
  });
  byId("remove").addEventListener("click", () => {
    second.setName("");
    changed();
    byId("second").focus();
  });
  onFiles(open);
}

busy(1);
try {
  const phasor = await load();
  first.phasor = second.phasor = phasor;
  restore(urlSettings());
  begin();
  await show();
} catch (error) {
  showFailure(error);
} finally {
  busy(-1);
}
