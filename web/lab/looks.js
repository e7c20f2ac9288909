// One head of each trained scheme on one text, side by side, and what the rows at the ruler look at.

/** @import { Shown } from "./curves.js" */
/** @import { Run } from "./runs.js" */
/** @import { SchemeName, Setup } from "./setup.js" */
import { busy } from "../app/busy.js";
import { byId, make } from "../app/dom.js";
import { farthest, paint, walls } from "./maps.js";
import { SPAN, spanText } from "./places.js";
import { readingOf, readings, schemes } from "./setup.js";

/** The longest text of a map, in tokens. */
const LONGEST = 512;

/** Which head is shown, both from 1, and the last position of the ruler. @typedef {{layer: number, head: number, end: number}} At */

export class Looks {
  #place = byId("looks");
  #none = byId("looks-none");
  /** @type {Map<SchemeName, Look>} */
  #all = new Map();

  /** Shows a map of each scheme that is trained, or tested while it trains. @param {Shown} shown @param {At} at */
  show({ setup, names, runs }, at) {
    const found = names.flatMap((name) => {
      const run = runs.find(({ scheme, tests }) => scheme === name && tests.length > 0);
      if (!run) return [];
      const look = this.#all.get(name) ?? new Look();
      this.#all.set(name, look);
      look.show(run, setup, at);
      return [look.element];
    });
    this.#none.hidden = found.length > 0;
    const { children } = this.#place;
    const isSame = children.length === found.length && found.every((map, i) => children[i] === map);
    if (!isSame) this.#place.replaceChildren(...found);
  }
}

/** The map of a scheme. */
class Look {
  #field = make("div", { class: "field" });
  #rows = make("i", { class: "rows" });
  #caption = make("figcaption");
  element = make("figure", { class: "map" }, this.#field, this.#caption);
  #asked = "";
  /** The tests of the run when it was asked: new ones are made of other weights, or are read in another way. @type {Run["tests"]} */
  #tests = [];
  /** @type {{weights: Float32Array, T: number} | undefined} */
  #found;
  #title = "";
  #end = 0;

  /** @param {Run} run @param {Setup} setup @param {At} at */
  show(run, setup, { end, ...at }) {
    const layer = Math.min(at.layer, setup.layers);
    const head = Math.min(at.head, setup.heads);
    const reading = readingOf(setup, run.scheme);
    const where = `${setup.layers > 1 ? `layer ${layer}, ` : ""}head ${head}`;
    this.#title = `${schemes[run.scheme]}${reading ? `, ${readings[reading]}` : ""}, ${where}`;
    this.#end = end;
    this.#say();
    const asked = JSON.stringify([run.id, layer, head]);
    if (asked === this.#asked && run.tests === this.#tests) return;
    this.#asked = asked;
    this.#tests = run.tests;
    this.#ask(run, setup, (layer - 1) * setup.heads + head - 1);
  }

  /** @param {Run} run @param {Setup} setup @param {number} at  the head, over all layers */
  async #ask({ id, scheme, tests, worker }, { length, factor, reading, temperature }, at) {
    const T = Math.min(LONGEST, length * factor);
    const asked = this.#asked;
    busy(1);
    try {
      const weights = await worker?.work("head", { id, at, length: T, scheme, reading, temperature }); // prettier-ignore
      if (!weights || asked !== this.#asked || tests !== this.#tests) return;
      this.#found = { weights, T };
      this.#field.replaceChildren(paint(weights, T), ...walls(length / T), this.#rows);
      this.#say();
    } catch {
      this.#asked = ""; // the run was dropped meanwhile
    } finally {
      busy(-1);
    }
  }

  #say() {
    const { T = 0, weights } = this.#found ?? {};
    const isThere = this.#end <= T;
    this.#rows.hidden = !isThere;
    this.#rows.style.top = `${(100 * (this.#end - SPAN)) / T}%`;
    this.#rows.style.height = `${(100 * SPAN) / T}%`;
    const rows = `rows ${spanText(this.#end)}`;
    const looked = weights && isThere && farthest(weights, T, this.#end - SPAN, this.#end);
    const words = looked ? `${rows} look mostly ${looked}` : `${rows} are not in this text`;
    const text = weights ? `${this.#title}: ${words}.` : this.#title;
    if (this.#caption.textContent !== text) this.#caption.textContent = text;
  }
}
