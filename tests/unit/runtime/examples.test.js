import assert from "node:assert/strict";
import { test } from "node:test";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { load, optionsOf, phasor, schemesOf, Tensor } from "../../phasor.js";
import { blank } from "../plots/picture.js";
import { api } from "../../../scripts/package/api.js";
import { check } from "../../readme.js";

const dom = parseHTML("<!doctype html><html><body></body></html>");

const widgets = await import("phasor/widget");

/** `define` of phasor/widget as in a page. @param {string} [name] */
function define(name) {
  const host = /** @type {any} */ (globalThis);
  Object.assign(host, { HTMLElement: dom.HTMLElement, customElements: dom.customElements });
  try {
    return widgets.define(name);
  } finally {
    delete host.HTMLElement;
    delete host.customElements;
  }
}

const SRC = new URL("../../../src/", import.meta.url);
const others = {
  ...(await import("phasor/files")),
  ...(await import("phasor/models")),
  ...(await import("phasor/open")),
  ...(await import("phasor/oracle")),
  ...(await import("phasor/xray")),
  ...(await import("phasor/vectors")),
  ...(await (await import("phasor/ngrams")).load()),
  ...(await (await import("phasor/lab")).load()),
  phasor,
  mount: widgets.mount,
  schemes: widgets.schemes,
  widget: widgets.default,
  define,
  element: dom.document.body,
};

/**
 * What an example may use without a word: the package's exports and modules, and its module's own.
 * @param {string} name  of the module, below src/
 */
async function scope(name) {
  const own = await import(new URL(name, SRC).href).catch(() => ({})); // some need the build
  const drawing = name.startsWith("plots/") ? { Plot, document: blank() } : {};
  const inWorker = name.startsWith("worker/") ? await import("phasor/worker") : {};
  const entry = { load, optionsOf, schemesOf, Tensor };
  return { ...own, ...others, ...phasor, ...entry, ...drawing, ...inWorker };
}

const found = (await api()).examples.map(({ file, source }) => ({
  name: file.slice("src/".length),
  source,
}));

test("every module has examples", () => {
  for (const module of Object.keys(phasor)) {
    const file = `/${module.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`)}.js`;
    assert.ok(
      found.some(({ name }) => name.endsWith(file)),
      module,
    );
  }
});

for (const { name, source } of found) {
  test(`examples: src/${name} returns the documented value of ${source.split("\n")[0]}`, async () => {
    assert.ok((await check([source], await scope(name))) > 0, "an example shows a value");
  });
}
