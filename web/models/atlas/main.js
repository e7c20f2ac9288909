// The atlas: a searchable list of families, and the description of a pasted config.json.

import { atlas, models } from "phasor/models";
import { set } from "../../app/controls.js";
import { copy } from "../../app/copy.js";
import { oneStop } from "../../app/one-stop.js";
import { byId, make } from "../../app/dom.js";
import { inWords, showError } from "../../app/errors.js";
import { exportsOf } from "../../app/exports.js";
import { page } from "../../app/page.js";
import { readConfig } from "../../app/read-config.js";
import { urlSettings } from "../../app/url-state.js";
import { described } from "./described.js";
import { NAMES } from "./names.js";
import { saved } from "./saved.js";
import "./style.css";

/**
 * A family as transformers' code ran it.
 * @typedef {{family: string, class?: string, source?: string, rotation: string, input: string, table: string, module?: string, read?: boolean}} Run
 * @typedef {{transformers: string, date: string, families: Run[], unknown: Record<string, string[]>}} Recorded
 */

/** @typedef {ReturnType<typeof atlas>[number]} AtlasEntry */

/** A configuration with a trap, and a key that nobody reads. */
const EXAMPLE = {
  model_type: "cohere2",
  hidden_size: 4096,
  num_hidden_layers: 8,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 128,
  max_position_embeddings: 8192,
  rope_theta: 50000,
  sliding_window: 4096,
  sliding_window_pattern: 4,
  rope_thetas: 1,
};

/** Words of the traps of each kind. @type {Readonly<Record<string, RegExp>>} */
const TRAPS = Object.freeze({
  all: /^/,
  any: /./,
  nope: /not rotate/,
  bases: /Bases differ|the base of each layer/,
  scaling: /Scaling applies|scaled by/,
  rows: /Positions? (t|count)|half of a row/,
  words: /Words are|Norm follows|factorized|Every layer gets/,
});

const entries = atlas();

/** The family that was chosen in the poster: its entry is open. */
let pointed = "";

page({
  async prepare() {
    const answer = await fetch(new URL("./atlas.json", import.meta.url));
    if (!answer.ok) throw new Error(`The atlas's record could not be loaded (${answer.status}).`);
    /** @type {Recorded} */
    const recorded = await answer.json();
    return { recorded, runs: new Map(recorded.families.map((run) => [run.family, run])) };
  },

  facts: {
    known: () => String(entries.length),

    recorded(_, __, { recorded }) {
      const { transformers, date, families } = recorded;
      const countOf = (/** @type {string} */ result) =>
        families.filter((/** @type {Run} */ { rotation, input, table, module }) =>
          [rotation, input, table, module].includes(result),
        ).length;
      const [agree, differ] = [countOf("agrees"), countOf("differs")];
      return `Compared with the code of transformers ${transformers} on ${date}: ${agree} families were run and agree, ${differ || "none"} ${differ > 1 ? "differ" : "differs"}. Others cannot be run as a tiny model, or have nothing that phasor computes.`;
    },

    count(_, controls) {
      const shown = selected(controls).length;
      return shown === 1 ? "1 family." : `${shown} families.`;
    },

    unread() {
      const names = entries.flatMap(({ unread = [] }) => unread);
      return `${models.names.length} models are known by name. There was no public copy of the configuration of ${names.join(", ")} to read: paste the model’s config.json.`;
    },

    unknown(_, __, { recorded }) {
      const names = Object.values(/** @type {Recorded} */ (recorded).unknown).flat();
      return `${names.length} configuration classes of transformers are refused: parts of larger models, sound, detection, and families that could not be run.`;
    },

    unknownFamilies(_, __, { recorded }) {
      const list = document.createDocumentFragment();
      for (const [why, names] of Object.entries(/** @type {Recorded} */ (recorded).unknown)) {
        const title = make("summary", {}, `${why} (${names.length})`);
        list.append(make("details", {}, title, make("p", {}, names.join(", "))));
      }
      return list;
    },

    families(_, controls, { runs }) {
      const items = selected(controls).map((entry) =>
        item(entry, runs.get(entry.family), entry.family === pointed),
      );
      const list = document.createDocumentFragment();
      list.append(...items);
      return list;
    },
  },

  begin({ cell }) {
    oneStop(/** @type {HTMLElement} */ (byId("poster").querySelector(".region")));
    byId("poster").append(exportsOf(saved, { name: "atlas" }));
    byId("poster").addEventListener("click", ({ target }) => {
      const { hash = "" } = /** @type {Element} */ (target).closest("a") ?? {};
      const family = urlSettings(hash).get("search");
      if (family === null) return;
      pointed = family;
      setTimeout(() => byId("families-title").scrollIntoView()); // once the address is the link's
    });
    byId("describe").addEventListener("submit", (event) => {
      event.preventDefault();
      show(field().value);
    });
    byId("example").addEventListener("click", () => {
      field().value = JSON.stringify(EXAMPLE, null, 2);
      show(field().value);
    });
    byId("link").addEventListener("click", () => {
      const { origin, pathname } = location;
      const hash = new URLSearchParams({ described: briefly(field().value) });
      copy(`${origin}${pathname}#${hash}`, byId("linked"));
    });
    cell(
      ({ described }) => described,
      (/** @type {string} */ text) => {
        if (text === "" || text === briefly(field().value)) return;
        field().value = text; // of the address
        show(text);
      },
    );
  },
});

const field = () => /** @type {HTMLTextAreaElement} */ (byId("config"));

/** The most letters of an address. */
const LONGEST = 16_000;

/** A configuration as an address has it. @param {string} text */
function briefly(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.trim(); // a name, or JSON with numbers that only Python reads
  }
}

/** @param {string} text  of a configuration, or a name */
function show(text) {
  const place = byId("description");
  const brief = briefly(text);
  let wrong = "";
  place.replaceChildren();
  try {
    const name = models.names.find((known) => known === brief);
    const parts = name ? described(models.get(name)) : [...described(readConfig(text)), ...seen(text)]; // prettier-ignore
    place.replaceChildren(...parts);
  } catch (error) {
    wrong = inWords(/** @type {Error} */ (error).message);
  }
  showError("config", wrong);
  const isKept = wrong === "" && brief.length <= LONGEST;
  byId("link").hidden = !isKept;
  set("described", isKept ? brief : "");
}

/** The description of the tower for pictures, if there is one. @param {string} text  of config.json */
function seen(text) {
  if (!/"vision_config"\s*:\s*\{/.test(text)) return [];
  const title = make("h3", { class: "tower" }, "Its tower for pictures");
  try {
    return [title, ...described(readConfig(text, { tower: "vision" }))];
  } catch (error) {
    return [title, make("p", {}, inWords(/** @type {Error} */ (error).message))];
  }
}

/** @param {import("../../app/controls.js").Values} controls */
function selected({ search, scheme, layout, trap }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    const { family, traps, models = [], unread = [] } = entry;
    const named = [family, NAMES[entry.scheme], entry.layout];
    const text = [...named, ...traps, ...models, ...unread].join(" ");
    return (
      words.every((/** @type {string} */ word) => text.toLowerCase().includes(word)) &&
      (scheme === "all" || entry.scheme === scheme) &&
      (layout === "all" || entry.layout === layout) &&
      TRAPS[trap].test(entry.traps.join(" "))
    );
  });
}

/** @param {AtlasEntry} entry @param {Run | undefined} run @param {boolean} open */
function item(entry, run, open) {
  const { family, scheme, layout, base, partial, traps, notComputed, models, unread } = entry;
  const brief = [NAMES[scheme], layout].filter(Boolean).join(", ");
  const facts = [
    layout && `Pairs: ${layout === "halves" ? "(i, i + R/2)" : "(2i, 2i + 1)"}.`,
    base && `Base unless the configuration names one: ${base.toLocaleString("en")}.`,
    partial && partial !== 1 && `Rotated part of a head: ${Number(partial.toPrecision(3))}.`,
    notComputed && `Not computed here: ${notComputed}.`,
    models && `Models known by name: ${models.join(", ")}.`,
    unread && `Without a public copy of the configuration: ${unread.join(", ")}.`,
  ].filter((fact) => typeof fact === "string");
  return make(
    "details",
    { class: "family", open },
    make(
      "summary",
      {},
      make("code", {}, family),
      make("span", { class: "brief" }, brief),
      ...(traps.length > 0 ? [make("span", { class: "trap" }, counted(traps.length))] : []),
    ),
    make("ul", {}, ...[...facts, ...traps].map((fact) => make("li", {}, fact))),
    make("p", { class: "run" }, run ? runOf(run) : "Not a class of transformers: read, not run."),
    make(
      "pre",
      { tabindex: "0", role: "group", "aria-label": `Code of ${family}` }, // a long line is scrolled by key
      make("code", {}, codeOf(entry)),
    ),
  );
}

/** @param {number} n */
const counted = (n) => (n === 1 ? "1 trap" : `${n} traps`);

/** @param {Run} run */
function runOf({ class: name, source, rotation, input, table, module, read }) {
  const where = name && source ? `${name}, ${source} of transformers. ` : "";
  const says = (/** @type {string} */ what, /** @type {string} */ result) =>
    result === "not compared" ? "" : `${what}: ${result}. `;
  return `${where}${says("Rotation", rotation)}${says("Input of the first layer", input)}${says("Rows of the table of positions", table)}${module ? says("Its positions, run alone", module) : ""}${read ? "Read, not run." : ""}`.trim();
}

/** A program for a family. @param {AtlasEntry} entry */
function codeOf({ family, scheme, notComputed }) {
  if (scheme === "rope") {
    return `// config: the config.json of a model of the family ${family}
const rotary = models.rope(config, { layer: 0 }); // null: the layer does not rotate
if (rotary) {
  const { dim, layout, options } = rotary;
  q = rope.apply(q, rope.table(q.shape.at(-2), dim, options), { layout, dim });
}`;
  }
  if (scheme === "axialRope") {
    return `// config: the config.json of a tower for pictures of the family ${family};
// of a whole model: models.fromConfig(config, { tower: "vision" })
const { preset, dim, options } = models.fromConfig(config).positions;
const table = axialRope.table([rows, columns], dim, { ...axialRope.presets[preset], ...options });
q = rope.apply(q, table, { layout: table.layout });`;
  }
  if (notComputed || scheme === "sincosGrid" || scheme === "windowBias") {
    return `models.fromConfig(config).positions;`;
  }
  return `// the input of the first layer of a model of the family ${family}
const model = await open("owner/name");
const x = await model.embed(ids);`;
}
