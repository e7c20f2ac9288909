// The model explorer: everything follows one word. The controls are saved in the URL.

/** @import { Table } from "../app/models/table.js" */
/** @import { Page } from "../app/page.js" */
/** @import { Wanted } from "./map.js" */
import { set, values } from "../app/controls.js";
import { byId, make } from "../app/dom.js";
import { showError } from "../app/errors.js";
import { modelTable } from "../app/models/opened.js";
import { opener } from "../app/models/opener.js";
import { gloveTable } from "../app/models/table.js";
import { some } from "../app/numbers.js";
import { page } from "../app/page.js";
import { remembered } from "../app/remembered.js";
import { root } from "../app/root.js";
import { NO_NETWORK, runnable } from "../app/runnable.js";
import { figures } from "phasor/plots";
import { NONE, answered, examples } from "./analogies.js";
import { columnsOf } from "./columns.js";
import { drawer } from "./drawer.js";
import { complaint, groupsOf, sets } from "./groups.js";
import { Layer } from "./layer.js";
import { SCORES, factOf, ranked, scores } from "./lists.js";
import { WordMap } from "./map.js";
import { addPair } from "./pair.js";
import { files, modelProgram, program } from "./program.js";
import { Space } from "./space.js";
import "./style.css";
import { UmapView } from "./umap-view.js";
import { wordField } from "./word-field.js";
import { WordsTable } from "./words-table.js";

/** The elements of the views. */
const VIEWS = { map: "map", space: "space", umap: "umap", table: "words" };

/** Neighbors of the word whose labels come first on the map. */
const LABELED = 10;

page({
  prepare: async (phasor) => ({ table: await gloveTable(phasor) }),

  begin(app) {
    const { made, cell, change } = app;
    const glove = made.table;
    const { open, close, moveBack } = drawer();
    const fields = addFields(app);
    addNeighbors(app);
    addAnalogies(app);
    addMap(app, glove);
    addPair(app, figures(), (id) => go(made.table, id));
    addLayer(app);
    const openAgain = opener({
      open: modelTable,
      linked: open,
      opened(next, isExact) {
        if (close() && next) {
          made.other?.close();
          set("model", made.table.hub); // the page's address names the first
          byId("back").hidden = made.table === glove;
          return change({ other: next });
        }
        const { table: before } = made;
        change({ table: next ?? glove, pointed: undefined });
        if (!isExact) set("view", "");
        for (const field of fields) field.begin(isExact);
        if (before !== glove && before !== made.table) before.close();
      },
    });
    const showColumns = columnsOf(openAgain);
    cell(
      (_, { table }) => table,
      (table) => {
        showTable(table);
        showColumns(table);
      },
    );
    moveBack();
  },
});

/** The fields for words: `made.wordId`, `made.aId`, ... are the ids of their words. @param {Page} app */
function addFields({ made, cell, change }) {
  const none = () => -1;
  const otherwise = { word: none, a: () => made.wordId, b: none, c: none };
  return Object.entries(otherwise).map(([name, id]) => {
    const isNeeded = name === "word" || name === "a";
    const field = wordField(name, () => made.table, id, isNeeded);
    const key = `${name}Id`;
    cell(
      (controls, used) => {
        void [controls[name], used.table, name === "a" && used.wordId]; // what `read` depends on
        return field.read();
      },
      (id) => id !== made[key] && change({ [key]: id }),
    );
    return field;
  });
}

/** @param {Page} app */
function addNeighbors({ made, cell }) {
  const list = ranked(
    byId("near"),
    () => made.table.words,
    (id) => go(made.table, id),
  );
  cell(
    ({ metric }, { table, wordId }) => {
      byId("near-title").textContent = `Nearest ${table.noun}s by ${SCORES[metric]}`;
      byId("a").setAttribute("placeholder", table.words[wordId]);
      return factOf(table, wordId);
    },
    (text) => (byId("word-fact").textContent = text),
  );
  cell(
    async ({ k, metric }, { table, wordId }) => table.neighbors(wordId, k, metric),
    list,
    section("near"),
  );
}

/** @param {Page} app */
function addAnalogies({ made, cell, change }) {
  const list = ranked(
    byId("answers"),
    () => made.table.words,
    (id) => go(made.table, id),
  );
  cell(
    ({ metric }, { table, aId, bId, cId }) => {
      if (bId < 0 || cId < 0) return `Type two ${table.noun}s of this table.`;
      const [a, b, c] = [aId, bId, cId].map((id) => table.words[id]);
      return `${a} \u2212 ${b} + ${c}, by ${SCORES[metric]}:`;
    },
    (text) => (byId("analogy-fact").textContent = text),
  );
  cell(
    async ({ k, metric, inputs }, { table, aId, bId, cId }) =>
      bId < 0 || cId < 0 ? NONE : answered(table, [aId, bId, cId], { k, metric, inputs }),
    ({ list: answers, sentence, arrows, pairs }) => {
      list(answers);
      byId("analogy-inputs").textContent = sentence;
      change({ analogy: { arrows, pairs } });
    },
    section("answers"),
  );
}

/** @param {Page} app @param {Table} glove */
function addMap({ made, cell, change }, glove) {
  const map = new WordMap(byId("map"), figures(), {
    variance: (sentence) => (byId("variance").textContent = sentence),
    wrong: (sentence) => warn("points", sentence),
    placed: (places, wanted) => change({ placed: { places, wanted } }),
    viewed: () => map.view !== values().view && set("view", map.view),
    chosen: (id) => go(made.table, id),
    pointed: (id) => change({ pointed: id }),
  });
  const editor = runnable(byId("code"), { code: "", label: "Code of the map", data: files });
  const nearest = remembered(
    /** @param {Table} table @param {number} id @param {any} metric */
    (table, id, metric) => table.neighbors(id, LABELED, metric),
  );
  const isOutdated = viewWatcher();
  /** What the map shows. */
  let shown = "";
  /** @type {Table | undefined} */
  let table;

  addGroups({ cell, change });
  cell(
    async (controls, { table, wordId: word, groups, analogy }) => {
      const { points, x, y, metric, view } = controls;
      const plane = [points, x, y, points === "near" ? word : ""].join();
      if (isOutdated(plane, view)) set("view", "");
      warn("y", x === y ? "y must be a different component than x: the map is a line." : "");
      const named = (await nearest(table, word, metric)).map(({ id }) => id);
      const arrows = (controls.arrows && analogy?.pairs) || [];
      const axes = { x: Number(x), y: Number(y) };
      /** @type {Wanted} */
      const wanted = { table, points, ...axes, metric, word, named, groups, arrows };
      return { wanted, view };
    },
    ({ wanted, view }) => {
      const key = JSON.stringify({ ...wanted, table: "", groups: [...wanted.groups] });
      if (key !== shown || wanted.table !== table) {
        [shown, table] = [key, wanted.table];
        // A program on the page can read GloVe's words, but not a model.
        if (table === glove) editor.show(program(table, wanted));
        else editor.show(modelProgram(table, wanted), NO_NETWORK);
        map.show(wanted);
      }
      map.look(view);
    },
    section("map"),
  );
  addPointed(cell);
  addViews({ made, cell, change }, map);
}

/** The other views of the same words: in three dimensions, and as a table. @param {Pick<Page, "made" | "cell" | "change">} app @param {WordMap} map */
function addViews({ made, cell, change }, map) {
  const chosen = (/** @type {number} */ id) => go(made.table, id);
  const pointed = (/** @type {number} */ id) => change({ pointed: id });
  const legend = () => map.legend;
  const views = {
    space: remembered(() => new Space(byId("space"), { chosen, pointed, legend })),
    umap: remembered(() => new UmapView(byId("umap"), figures(), { chosen, pointed })),
    table: remembered(() => new WordsTable(byId("words"), chosen)),
  };
  cell(
    ({ show }) => show,
    (show) => {
      for (const [name, id] of Object.entries(VIEWS)) {
        byId(id).hidden = name !== show;
      }
      if (show === "map") map.fit();
    },
  );
  cell(
    ({ show }, { placed }) => ({ show, placed }),
    ({ show, placed }) => {
      if (placed && show !== "map") {
        views[/** @type {keyof typeof views} */ (show)]().show(placed.places, placed.wanted);
      }
    },
  );
  cell(
    ({ arrows }, { analogy }) => (arrows && analogy?.arrows) || "",
    (text) => (byId("arrows-fact").textContent = text),
  );
}

/** Says whether a saved view belongs to a map that is no longer shown. */
function viewWatcher() {
  let last = { plane: "", view: "" };
  return (/** @type {string} */ plane, /** @type {string} */ view) => {
    const isOutdated = plane !== last.plane && view === last.view && view !== "";
    last = { plane, view };
    return isOutdated;
  };
}

/** The groups of words that the map colors: `made.groups`. @param {Pick<Page, "cell" | "change">} app */
function addGroups({ cell, change }) {
  const own = /** @type {HTMLInputElement} */ (byId("own"));
  let typing = false;
  /** @type {Table} */
  let current;
  own.addEventListener("input", () => (typing = own.matches(":focus")), { capture: true });
  own.addEventListener("change", () => {
    typing = false;
    warn("own", complaint(current, own.value, typing));
  });
  const grouped = remembered(
    (/** @type {Table} */ table, /** @type {string} */ chosen, /** @type {string} */ own) =>
      groupsOf(table, chosen.split(" ").filter(Boolean), own),
  );
  cell(
    (controls, { table }) => {
      current = table;
      warn("own", complaint(table, controls.own, typing));
      const chosen = Object.keys(sets).filter((name) => controls[name]);
      return grouped(table, chosen.join(" "), controls.own);
    },
    (groups) => change({ groups }),
  );
}

/** The word that the reader points at on the map. @param {Page["cell"]} cell */
function addPointed(cell) {
  const place = byId("pointed");
  // Screen readers announce it only while the reader is on the map.
  byId("map").addEventListener("focusin", () => place.setAttribute("aria-live", "polite"));
  byId("map").addEventListener("focusout", () => place.removeAttribute("aria-live"));
  cell(
    async ({ metric }, { table, pointed }) => {
      if (pointed === undefined) return "";
      const three = await table.neighbors(pointed, 3, metric);
      return `${factOf(table, pointed)} Nearest: ${scores(three, table.words)}.`;
    },
    (text) => text && (place.textContent = text),
    section("map"),
  );
}

/** @param {Page} app */
function addLayer({ made, cell }) {
  const plots = import("@observablehq/plot").then((Plot) => figures({ Plot }));
  const layer = new Layer(plots, (id) => go(made.table, id));
  const field = /** @type {HTMLInputElement} */ (byId("compared"));
  cell(
    (_, { table }) => table,
    (table) => void layer.show(table),
  );
  cell(
    // Without words it compares those that the page began with.
    ({ compared }, { table }) => layer.compare(table, compared.trim() || field.defaultValue),
    () => {},
  );
}

/** Shows an error of a setting of the map, and the settings. @param {string} name @param {string} text */
function warn(name, text) {
  showError(name, text);
  if (text) /** @type {HTMLDetailsElement} */ (byId("settings")).open = true;
}

/** Chooses a word. @param {Table} table @param {number} id */
function go(table, id) {
  set("word", table.words[id]);
}

/** @param {string} id  of an element of the section */
function section(id) {
  return /** @type {HTMLElement} */ (byId(id).closest("section"));
}

/** Names the table that is open. @param {Table} table */
function showTable(table) {
  const { about, size, dim, noun, memory, hub } = table;
  const commit = about.revision ? `, commit ${about.revision.slice(0, 7)}` : "";
  byId("opened").replaceChildren(
    make("b", {}, about.name),
    `: ${some(size, noun)} of ${some(dim, "number")}${commit}; ${memory}.`,
    ...(hub ? [" ", ...links(hub)] : []),
  );
  byId("examples").replaceChildren(...examples(table));
}

/** Other pages that can show a model of the hub. @param {string} hub */
function links(hub) {
  const name = encodeURIComponent(hub);
  const link = (/** @type {string} */ path, /** @type {string} */ text) =>
    make("a", { href: new URL(path, root).href }, text);
  return [
    link(`#tokenizer=model&model=${name}`, "A sentence with it"),
    ", ",
    link(`lessons/trained-table/#model=${name}`, "lesson 11 with it"),
    ".",
  ];
}
