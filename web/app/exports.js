import { copy } from "./copy.js";
import { make } from "./dom.js";

/**
 * A figure, or what else can be saved as a picture and perhaps as numbers.
 * @typedef {{png: (options: {scale: number}) => Promise<Blob>, svg: () => string | Promise<string>, csv?: () => string}} Saved
 */

/**
 * The menu below a figure: its picture and its numbers as files.
 *
 * @param {Saved} figure
 * @param {object} options
 * @param {string} options.name  of the files, without their endings
 * @param {() => { data: ArrayLike<number>, shape: readonly number[] }} [options.tensor]  for `.npy`. Default: none
 * @param {boolean} [options.isEmbeddable]  whether the page can show it alone: web/app/lecture/embed.js
 * @returns {HTMLElement}
 */
export function exportsOf(figure, { name, tensor, isEmbeddable = false }) {
  const wrong = make("p", { class: "wrong", role: "status" });
  /** @type {[string, string, () => Blob | Promise<Blob>][]} */
  const kinds = [
    ["PNG", "png", () => figure.png({ scale: 2 })],
    ["SVG", "svg", async () => new Blob([await figure.svg()], { type: "image/svg+xml" })],
  ];
  if (figure.csv) kinds.push(["CSV", "csv", () => new Blob([figure.csv?.() ?? ""], { type: "text/csv" })]); // prettier-ignore
  if (tensor) kinds.push([".npy", "npy", () => npyOf(tensor())]);
  const buttons = kinds.map(([label, ending, blob]) => {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", async () => {
      wrong.textContent = "";
      try {
        save(await blob(), `phasor-${name}.${ending}`);
      } catch (error) {
        wrong.textContent = /** @type {Error} */ (error).message;
      }
    });
    return button;
  });
  return make(
    "details",
    { class: "export" },
    make("summary", {}, "Export"),
    make("div", { class: "buttons" }, ...buttons, ...(isEmbeddable ? linksTo(name) : [])),
    wrong,
  );
}

/** Buttons that copy an address of the figure with its settings, and HTML that embeds it. @param {string} name */
function linksTo(name) {
  const note = make("span", { class: "note", role: "status" });
  const address = (/** @type {string} */ mode) => {
    const { origin, pathname, hash } = location;
    return `${origin}${pathname}?${mode}=${name}${hash}`;
  };
  const button = (/** @type {string} */ label, /** @type {() => string} */ text) => {
    const made = make("button", { type: "button" }, label);
    made.addEventListener("click", () => copy(text(), note));
    return made;
  };
  return [
    button("Copy link", () => address("show")),
    button("Copy embed code", () => {
      const title = document.title.replaceAll('"', "&quot;");
      return `<iframe src="${address("embed").replaceAll("&", "&amp;")}" title="${title}" width="700" height="420" style="border: 0"></iframe>`;
    }),
    note,
  ];
}

/** Numbers as a `.npy` file; what writes it is loaded when it is first needed. @param {{ data: ArrayLike<number>, shape: readonly number[] }} tensor */
async function npyOf({ data, shape }) {
  const { npy } = await import("phasor/files");
  const numbers = Array.isArray(data) ? Float64Array.from(data) : /** @type {any} */ (data);
  return new Blob([/** @type {BlobPart} */ (npy.write({ data: numbers, shape }))]);
}

/** Hand the reader a file. @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000); // the browser may read it late
}
