// The word explorer: one word is the focus of everything; what the controls hold is in the address.

/** @import { Metric, Ranking } from "./rank.js" */
/** @import { Table } from "./table.js" */
import { load } from "phasor";
import { blame, follow, set, values } from "../site/controls.js";
import { byId, make } from "../site/dom.js";
import { brief, count } from "../site/numbers.js";
import { remembered } from "../site/remembered.js";
import { runnable } from "../site/runnable.js";
import { complaint, groupsOf, sets } from "./groups.js";
import { wordMap } from "./map.js";
import { files, program } from "./program.js";
import { analogy, neighbours } from "./rank.js";
import "./style.css";
import { loadTable } from "./table.js";
import { wordField } from "./word-field.js";

/** Analogies to begin with: a - b + c. */
const EXAMPLES = [
  ["paris", "france", "italy"],
  ["bigger", "big", "small"],
  ["walking", "walk", "swim"],
  ["actor", "man", "woman"],
  ["moscow", "russia", "japan"],
  ["better", "good", "bad"],
];

/** Words beside the focus that are named on the map before all others. */
const NAMED = 10;

/** What the scores are, by metric. @type {Record<string, string>} */
const MEASURES = { cosine: "cosine", euclidean: "distance" };

/** Scores stand below each other. */
const decimals = new Intl.NumberFormat("en", {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
});

const root = document.documentElement;
let busy = 0;

/** The page has come to rest when nothing is under way. @param {number} by */
function wait(by) {
  busy += by;
  root.dataset.settled = String(busy === 0);
}

/** What the page does once everything is there. */
let update = () => {};
follow(() => update());

wait(1);
try {
  await begin();
} catch (error) {
  const sentence = `This page could not be brought to life: ${/** @type {Error} */ (error).message}`;
  document.querySelector("main")?.prepend(make("p", { class: "wrong", role: "alert" }, sentence));
  throw error;
} finally {
  wait(-1);
}

async function begin() {
  const [phasor, { figures }] = await Promise.all([load(), import("phasor/plots")]);
  const table = await loadTable(phasor);
  const { words, lengths, size, dim } = table;
  const go = (/** @type {number} */ id) => set("word", words[id]);

  const word = wordField("word", table, () => -1);
  const a = wordField("a", table, () => word.read());
  const [b, c] = ["b", "c"].map((name) => wordField(name, table, () => -1));
  const own = /** @type {HTMLInputElement} */ (byId("own"));
  let typing = false;
  own.addEventListener("input", () => (typing = own.matches(":focus")), { capture: true });
  own.addEventListener("change", () => {
    typing = false;
    blame("own", complaint(table, own.value, typing));
  });

  const near = remembered(neighbours);
  const nearest = remembered(neighbours); // on the map: as many whatever k is
  const answers = remembered(
    /** @param {number} a @param {number} b @param {number} c @param {number} k @param {Metric} metric @param {boolean} inputs */
    (a, b, c, k, metric, inputs) => analogy(phasor, table, [a, b, c], k, metric, inputs),
  );
  const listed = {
    near: ranked(byId("near"), words, go),
    answers: ranked(byId("answers"), words, go),
  };
  const groups = remembered((/** @type {string} */ chosen, /** @type {string} */ typed) =>
    groupsOf(table, chosen.split(" ").filter(Boolean), typed),
  );

  /** A word in a sentence. @param {number} id */
  const about = (id) =>
    `\u201c${words[id]}\u201d is number ${count(id + 1)} of ${count(size)} by frequency; its vector has length ${brief(lengths[id])}.`;

  const map = wordMap(byId("map"), table, figures(), {
    busy: wait,
    variance: (sentence) => (byId("variance").textContent = sentence),
    wrong: (sentence) => blame("points", sentence),
    viewed: () => map.view !== values().view && set("view", map.view),
    chosen: go,
    pointed(id) {
      const three = neighbours(table, id, 3, values().metric);
      byId("pointed").textContent = `${about(id)} Nearest: ${told(three, words)}.`;
    },
  });
  // It is spoken only where the reader is.
  byId("map").addEventListener("focusin", () =>
    byId("pointed").setAttribute("aria-live", "polite"),
  );
  byId("map").addEventListener("focusout", () => byId("pointed").removeAttribute("aria-live"));
  const editor = runnable(byId("code"), {
    code: "",
    label: "The code of the map",
    data: files,
  });
  byId("examples").replaceChildren(
    ...EXAMPLES.filter((each) => each.every((x) => table.idOf(x) >= 0)).map(example),
  );

  for (const [name, number] of Object.entries({ size, dim })) {
    for (const place of document.querySelectorAll(`[data-fact="${name}"]`)) {
      place.textContent = count(number);
    }
  }

  /** What the map's view belongs to, and the view. */
  let last = { plane: "", view: "" };
  /** @type {unknown} */
  let drawn;
  update = () => {
    const now = values();
    const { metric, k } = now;
    const id = word.read();
    const plane = [now.points, now.x, now.y, now.points === "near" ? id : ""].join();
    if (plane !== last.plane && now.view === last.view && now.view !== "") return set("view", "");
    last = { plane, view: now.view };

    const found = near(table, id, k, metric);
    byId("word-fact").textContent = about(id);
    listed.near(found);
    byId("near-title").textContent = `Nearest words, by ${MEASURES[metric]}`;
    byId("a").setAttribute("placeholder", words[id]);

    const [idA, idB, idC] = [a.read(), b.read(), c.read()];
    const [first, second, third] = [idA, idB, idC].map((each) => words[each]);
    listed.answers(answers(idA, idB, idC, k, metric, now.inputs));
    byId("analogy-fact").textContent =
      `${first} \u2212 ${second} + ${third}, by ${MEASURES[metric]}:`;

    blame("own", complaint(table, own.value, typing));
    blame("y", now.x === now.y ? "y must be another component than x: the map is a line." : "");
    const chosen = Object.keys(sets).filter((name) => now[name]);
    const wanted = {
      points: now.points,
      ...{ x: Number(now.x), y: Number(now.y), metric, word: id },
      named: nearest(table, id, NAMED, metric).map((each) => each.id),
      groups: groups(chosen.join(" "), now.own),
    };
    const picture = JSON.stringify({ ...wanted, groups: [...wanted.groups] });
    if (picture !== drawn) {
      drawn = picture;
      editor.show(program(table, wanted));
      map.show(wanted);
    }
    map.look(now.view);
  };
  update();
}

/** @param {number} score */
function scoreText(score) {
  return decimals.format(score).replace("-", "\u2212");
}

/** @param {Ranking} ranking @param {readonly string[]} words */
function told(ranking, words) {
  return ranking.map(({ id, score }) => `${words[id]} ${scoreText(score)}`).join(", ");
}

/**
 * A list of words to go to, with their scores. Its buttons stay when the words change, so that a key
 * pressed on one stays there.
 *
 * @param {HTMLElement} list @param {readonly string[]} words @param {(id: number) => void} go
 */
function ranked(list, words, go) {
  /** @type {Ranking} */
  let shown = [];
  const row = (/** @type {number} */ i) => {
    const button = make("button", { type: "button" });
    button.addEventListener("click", () => go(shown[i].id));
    return make("li", {}, button, make("data"));
  };
  return (/** @type {Ranking} */ ranking) => {
    if (ranking === shown) return;
    shown = ranking;
    while (list.children.length > ranking.length) list.lastElementChild?.remove();
    while (list.children.length < ranking.length) list.append(row(list.children.length));
    for (const [i, { id, score }] of ranking.entries()) {
      const [button, data] = list.children[i].children;
      button.textContent = words[id];
      data.textContent = scoreText(score);
      data.setAttribute("value", String(score));
    }
  };
}

/** A button that puts an analogy into the fields. @param {string[]} example */
function example([a, b, c]) {
  const button = make("button", { type: "button" }, `${a} \u2212 ${b} + ${c}`);
  button.addEventListener("click", () => {
    set("a", a);
    set("b", b);
    set("c", c);
  });
  return make("li", {}, button);
}
