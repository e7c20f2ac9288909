// What the explorer has besides fields and nearest words, which comes after its first answer: analogies, the map and its
// kin, other models, and the layer.

/** @import { Table } from "../app/models/table.js" */
/** @import { Page } from "../app/page.js" */
/** @import { Wanted } from "./map.js" */
/** @import { Parts } from "./opening.js" */
import { set, values } from "../app/controls.js";
import { byId } from "../app/dom.js";
import { showError } from "../app/errors.js";
import { remembered } from "../app/remembered.js";
import { NO_NETWORK, runnable } from "../app/runnable.js";
import { figures } from "phasor/plots";
import { addAnalogies } from "./analogies.js";
import { go, section } from "./chosen.js";
import { complaint, groupsOf, sets } from "./groups.js";
import { Layer } from "./layer.js";
import { among, factOf, scores } from "./lists.js";
import { WordMap } from "./map.js";
import { addOpening } from "./opening.js";
import { addPair } from "./pair.js";
import { files, modelProgram, program } from "./program.js";
import { Space } from "./space.js";
import { UmapView } from "./umap-view.js";
import { WordsTable } from "./words-table.js";

/** The elements of the views. */
const VIEWS = { map: "map", space: "space", umap: "umap", table: "words" };

/** Neighbors of the word whose labels come first on the map. */
const LABELED = 10;

/** @param {Page} app @param {Parts["fields"]} fields @param {Parts["glove"]} glove */
export function addViews(app, fields, glove) {
  addAnalogies(app);
  addMap(app);
  addPair(app, figures(), (id) => go(app.made.table, id));
  addLayer(app);
  addOpening(app, { fields, glove });
}

/** @param {Page} app */
function addMap({ made, cell, change }) {
  const map = new WordMap(byId("map"), figures(), {
    variance: (sentence) => (byId("variance").textContent = sentence),
    wrong: (sentence) => warn("points", sentence),
    placed: (places, wanted) => change({ placed: places && { places, wanted } }),
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
    async (controls, { table, wordId: word, groups, analogy, own }) => {
      const { points, x, y, metric, view } = controls;
      const plane = [points, x, y, points === "near" ? word : ""].join();
      if (isOutdated(plane, view)) set("view", "");
      warn("y", x === y ? "y must be a different component than x: the map is a line." : "");
      const named = (await nearest(table, word, metric)).map(({ id }) => id);
      const arrows = (controls.arrows && analogy?.pairs) || [];
      const axes = { x: Number(x), y: Number(y) };
      /** @type {Wanted} */
      const wanted = { table, points, ...axes, metric, word, named, groups, arrows };
      return { wanted, view, own };
    },
    ({ wanted, view, own }) => {
      const key = JSON.stringify({ ...wanted, table: "", groups: [...wanted.groups] });
      if (key !== shown || wanted.table !== table) {
        [shown, table] = [key, wanted.table];
        // A program on the page can read GloVe's words, but not a model.
        if (own) editor.show(modelProgram(table, wanted), NO_NETWORK);
        else if (!table.coming) editor.show(program(table, wanted));
        map.show(wanted);
      }
      map.look(view);
    },
    section("map"),
  );
  addPointed(cell);
  addOthers({ made, cell, change }, map);
}

/** The other views of the same words: in three dimensions, and as a table. @param {Pick<Page, "made" | "cell" | "change">} app @param {WordMap} map */
function addOthers({ made, cell, change }, map) {
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
    (_, { placed }) => placed === undefined,
    (isAbsent) => {
      for (const view of ["space", "umap", "words"]) {
        byId(view).classList.toggle("absent", isAbsent);
      }
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
      return `${factOf(table, pointed)} Nearest${table.coming ? ` ${among(table)}` : ""}: ${scores(three, table.words)}.`;
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
    (_, { whole }) => whole,
    (table) => void layer.show(table),
  );
  cell(
    // Without words it compares those that the page began with.
    ({ compared }, { whole }) => ({ whole, words: compared.trim() || field.defaultValue }),
    ({ whole, words }) => void layer.compare(whole, words), // after it shows the table
  );
}

/** Shows an error of a setting of the map, and the settings. @param {string} name @param {string} text */
function warn(name, text) {
  showError(name, text);
  if (text) /** @type {HTMLDetailsElement} */ (byId("settings")).open = true;
}
