// The model explorer: one word is the focus of everything; what the controls hold is in the address.

/** @import { Ranking } from "../app/models/rank.js" */
/** @import { Table } from "../app/models/table.js" */
import { load } from "phasor";
import { lacking } from "../app/models/label.js";
import { modelTable } from "../app/models/opened.js";
import { opener } from "../app/models/opener.js";
import { gloveTable } from "../app/models/table.js";
import { blame, follow, set, values } from "../app/controls.js";
import { byId, make } from "../app/dom.js";
import { brief, count } from "../app/numbers.js";
import { remembered } from "../app/remembered.js";
import { root } from "../app/root.js";
import { NO_NETWORK, runnable } from "../app/runnable.js";
import { complaint, groupsOf, sets } from "./groups.js";
import { COMPARED, layerOf } from "./layer.js";
import { wordMap } from "./map.js";
import { files, modelProgram, program } from "./program.js";
import "./style.css";
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

const page = document.documentElement;
let busy = 0;

/** The page has come to rest when nothing is under way. @param {number} by */
function wait(by) {
  busy += by;
  page.dataset.settled = String(busy === 0);
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
  const glove = await gloveTable(phasor);
  let table = glove;
  const go = (/** @type {number} */ id) => set("word", table.words[id]);

  const word = wordField(
    "word",
    () => table,
    () => -1,
  );
  const a = wordField(
    "a",
    () => table,
    () => word.read(),
  );
  const [b, c] = ["b", "c"].map((name) =>
    wordField(
      name,
      () => table,
      () => -1,
    ),
  );
  const own = /** @type {HTMLInputElement} */ (byId("own"));
  let typing = false;
  own.addEventListener("input", () => (typing = own.matches(":focus")), { capture: true });
  own.addEventListener("change", () => {
    typing = false;
    blame("own", complaint(table, own.value, typing));
  });

  // What does not change is not asked again.
  const near = remembered(neighbours);
  const nearest = remembered(neighbours); // on the map: as many whatever k is
  const answers = remembered(
    /** @param {Table} of @param {number} a @param {number} b @param {number} c @param {number} k @param {any} metric @param {boolean} inputs */
    (of, a, b, c, k, metric, inputs) => of.analogy([a, b, c], k, metric, inputs),
  );
  const groups = remembered(
    (/** @type {Table} */ of, /** @type {string} */ chosen, /** @type {string} */ typed) =>
      groupsOf(of, chosen.split(" ").filter(Boolean), typed),
  );
  const listed = {
    near: ranked(byId("near"), () => table.words, go),
    answers: ranked(byId("answers"), () => table.words, go),
  };
  const asked = {
    near: inTurn(listed.near, "word-fact"),
    answers: inTurn(listed.answers, "analogy-fact"),
    map: inTurn((/** @type {() => void} */ draw) => draw(), "variance"),
    pointed: inTurn(
      (/** @type {string} */ words) => (byId("pointed").textContent = words),
      "pointed",
    ),
    compared: inTurn(() => {}, "compared-fact"),
  };

  /** A word in a sentence. @param {number} id */
  const about = (id) =>
    `\u201c${table.words[id]}\u201d is ${table.place(id)}; its vector has length ${brief(table.lengths[id])}.`;

  const map = wordMap(byId("map"), figures(), {
    busy: wait,
    variance: (sentence) => (byId("variance").textContent = sentence),
    wrong: (sentence) => blame("points", sentence),
    viewed: () => map.view !== values().view && set("view", map.view),
    chosen: go,
    pointed(id) {
      const of = table;
      asked.pointed(async () => {
        const three = await of.neighbours(id, 3, values().metric);
        return `${about(id)} Nearest: ${told(three, of.words)}.`;
      });
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
  const bars = import("@observablehq/plot").then((Plot) => figures({ Plot }));
  const layer = layerOf(bars, { busy: wait, chosen: go });

  /** What the map's view belongs to, and the view. */
  let last = { plane: "", view: "" };
  /** @type {unknown} */
  let drawn;
  let compared = "";
  update = () => {
    const now = values();
    const { metric, k } = now;
    const of = table;
    const { words } = of;
    const id = word.read();
    const plane = [now.points, now.x, now.y, now.points === "near" ? id : ""].join();
    if (plane !== last.plane && now.view === last.view && now.view !== "") return set("view", "");
    last = { plane, view: now.view };

    byId("word-fact").textContent = about(id);
    asked.near(() => near(of, id, k, metric));
    byId("near-title").textContent = `Nearest ${of.noun}s, by ${MEASURES[metric]}`;
    byId("a").setAttribute("placeholder", words[id]);

    const [idA, idB, idC] = [a.read(), b.read(), c.read()];
    const [first, second, third] = [idA, idB, idC].map((each) => words[each]);
    byId("analogy-fact").textContent =
      `${first} \u2212 ${second} + ${third}, by ${MEASURES[metric]}:`;
    asked.answers(() => answers(of, idA, idB, idC, k, metric, now.inputs));

    blame("own", complaint(of, own.value, typing));
    blame("y", now.x === now.y ? "y must be another component than x: the map is a line." : "");
    const chosen = Object.keys(sets).filter((name) => now[name]);
    const marked = groups(of, chosen.join(" "), now.own);
    asked.map(async () => {
      const named = await nearest(of, id, NAMED, metric);
      return () => {
        const wanted = {
          table: of,
          points: now.points,
          ...{ x: Number(now.x), y: Number(now.y), metric, word: id },
          named: named.map((each) => each.id),
          groups: marked,
        };
        const picture = JSON.stringify({ ...wanted, table: of.about.name, groups: [...marked] });
        if (picture !== drawn) {
          drawn = picture;
          showCode(of, wanted);
          map.show(wanted);
        }
        map.look(now.view);
      };
    });

    const key = `${of.about.name} ${now.compared}`;
    if (key !== compared) {
      compared = key;
      asked.compared(() => compare(of, now.compared));
    }
  };

  /** @param {Table} of @param {string} text */
  function compare(of, text) {
    const typed = text
      .split(/[\s,;]+/)
      .filter(Boolean)
      .slice(0, COMPARED);
    const ids = typed.map((each) => {
      const word = of.wordOf(each);
      return word >= 0 ? word : of.idOf(each);
    });
    const unknown = typed.filter((_, i) => ids[i] < 0);
    blame("compared", lacking(of, unknown));
    byId("compared-fact").textContent = "";
    return layer.compare(
      of,
      [...new Set(ids)].filter((id) => id >= 0),
    );
  }

  /** The map as a program: one that runs here, where the frame for programs may read the words. @param {Table} of @param {import("./map.js").Wanted} wanted */
  function showCode(of, wanted) {
    if (of === glove) editor.show(program(of, wanted));
    else editor.show(modelProgram(of, wanted), NO_NETWORK);
  }

  /** @param {Table} next @param {boolean} isExact  what the address says is meant for it */
  function show(next, isExact) {
    const before = table;
    const isFirst = next === glove && before === glove;
    table = next;
    drawn = undefined;
    compared = "";
    const { about, size, dim, noun, memory } = next;
    const commit = about.revision ? `, commit ${about.revision.slice(0, 7)}` : "";
    byId("opened").replaceChildren(
      make("b", {}, about.name),
      `: ${count(size)} ${noun}s of ${count(dim)} numbers${commit}; ${memory}.`,
      ...(next.hub ? [" ", ...ways(next.hub)] : []),
    );
    for (const [name, number] of Object.entries({ size, dim })) {
      for (const place of document.querySelectorAll(`[data-fact="${name}"]`)) {
        place.textContent = count(number);
      }
    }
    for (const place of document.querySelectorAll("[data-noun]")) place.textContent = `${noun}s`;
    const examples = EXAMPLES.map((each) => each.map(next.wordOf));
    byId("examples").replaceChildren(
      ...examples
        .filter((ids) => ids.every((id) => id >= 0))
        .map((ids) => example(ids.map((id) => next.words[id]))),
    );
    if (!isFirst) {
      if (!isExact) set("view", "");
      for (const field of [word, a, b, c]) field.begin(isExact);
      if (before !== glove) before.close();
    }
    update();
    void layer.show(next).then(() => (next === table ? layer.showRepeated(next) : undefined));
  }

  opener({
    open: modelTable,
    busy: wait,
    opened: (next, isExact) => show(next ?? glove, isExact),
  });
  show(glove, true);
}

/**
 * The words nearest to a word.
 * @param {Table} table @param {number} id @param {number} k @param {any} metric
 */
function neighbours(table, id, k, metric) {
  return table.neighbours(id, k, metric);
}

/**
 * Asks one at a time: of those that come meanwhile only the last. Only the last answer is shown.
 *
 * @template T
 * @param {(answer: T) => void} paint
 * @param {string} place  of a sentence, should it fail
 * @returns {(ask: () => Promise<T>) => Promise<void>}
 */
function inTurn(paint, place) {
  /** @type {(() => Promise<T>) | undefined} */
  let next;
  let underWay = false;
  return async (ask) => {
    next = ask;
    if (underWay) return;
    underWay = true;
    wait(1);
    while (next) {
      const own = next;
      next = undefined;
      try {
        const answer = await own();
        if (!next) paint(answer);
      } catch (error) {
        const { name, message } = /** @type {Error} */ (error);
        if (!next && name !== "AbortError") byId(place).textContent = message;
      }
    }
    underWay = false;
    wait(-1);
  };
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
 * @param {HTMLElement} list @param {() => readonly string[]} words @param {(id: number) => void} go
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
      button.textContent = words()[id];
      data.textContent = scoreText(score);
      data.setAttribute("value", String(score));
    }
  };
}

/** Where else a model of the hub can be looked at. @param {string} hub */
function ways(hub) {
  const name = encodeURIComponent(hub);
  const link = (/** @type {string} */ path, /** @type {string} */ words) =>
    make("a", { href: new URL(path, root).href }, words);
  return [
    link(`#tokenizer=model&model=${name}`, "A sentence through it"),
    ", ",
    link(`lessons/trained-table/#model=${name}`, "lesson 11 with it"),
    ".",
  ];
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
