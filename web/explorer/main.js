// The model explorer: everything follows one word. The controls are saved in the URL.

/** @import { Table } from "../app/models/table.js" */
/** @import { Page } from "../app/page.js" */
import { values } from "../app/controls.js";
import { byId, make } from "../app/dom.js";
import { inWords } from "../app/errors.js";
import { beginGlove } from "../app/models/table.js";
import { count, some } from "../app/numbers.js";
import { page } from "../app/page.js";
import { remembered } from "../app/remembered.js";
import { root } from "../app/root.js";
import { go, section } from "./chosen.js";
import { SCORES, among, factOf, ranked } from "./lists.js";
import "./style.css";
import { wordField } from "./word-field.js";

/** GloVe, read once; the words of the fields decide with how many of its words the page begins. */
const gloveOf = remembered((/** @type {import("phasor").Phasor} */ phasor) => {
  const { word, a, b, c } = values();
  return beginGlove(phasor, [word, a, b, c]);
});

page({
  prepare: async (phasor) => ({ table: (await gloveOf(phasor)).table }),

  // Only the fields and the nearest words are there before the first answer.
  later: {
    views: () => import("./views.js"),
    whole: async (phasor) => (await gloveOf(phasor)).whole(),
  },

  begin(app) {
    const { phasor, cell } = app;
    const fields = addFields(app);
    addNeighbors(app);
    addWhole(app);
    const glove = async () => (await gloveOf(phasor)).whole();
    cell(
      (_, { views }) => views,
      (views) => views.addViews(app, fields, glove),
      section("map"),
    );
  },
});

/** Shows all words once they are there: `made.whole`. @param {Page} app */
function addWhole({ made, cell, change }) {
  cell(
    (_, used) => {
      try {
        return used.whole;
      } catch (error) {
        if (error instanceof Promise) throw error;
        return void change({ wrong: inWords(/** @type {Error} */ (error).message) });
      }
    },
    (/** @type {Table | undefined} */ whole) => {
      if (!whole || made.table !== whole.before) return;
      change({ table: whole });
      whole.before?.close();
    },
  );
  cell(
    (_, { table, wrong = "" }) => ({ table, wrong }),
    ({ table, wrong }) => showTable(table, wrong),
  );
}

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
      byId("near-title").textContent = `Nearest ${among(table)} by ${SCORES[metric]}`;
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

/** Names the table that is open. @param {Table} table @param {string} wrong  why there is no more of it */
function showTable({ about, size, dim, noun, memory, hub, coming }, wrong) {
  const commit = about.revision ? `, commit ${about.revision.slice(0, 7)}` : "";
  const numbers = `of ${some(dim, "number")}`;
  const others = coming && count(coming.size - size);
  const state = wrong
    ? `. The other ${others} are not there: ${wrong}`
    : `; ${others} more are loading.`;
  byId("opened").replaceChildren(
    make("b", {}, about.name),
    coming
      ? `: the ${count(size)} most frequent ${noun}s ${numbers}${state}`
      : `: ${some(size, noun)} ${numbers}${commit}; ${memory}. ${wrong}`,
    ...(hub ? [" ", ...links(hub)] : []),
  );
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
