/** phasor guide: the guides of the site, which are in the package as Markdown. */
import { readdir, readFile } from "node:fs/promises";
import { oneOf } from "./arguments.js";
import { columns } from "./output.js";

/** The folder in the package, above dist/. */
const docs = new URL("../docs/", import.meta.url);

/** @type {import("./arguments.js").Command} */
export const guide = {
  name: "guide",
  operands: "NAME",
  least: 0,
  most: 1,
  does: "a guide as Markdown, such as decoder. Alone: the list",
  options: {},
  async run({ operands: [name] }) {
    const names = (await readdir(docs)).map((file) => file.replace(/\.md$/, "")).sort();
    if (name === undefined) {
      const data = await Promise.all(
        names.map(async (each) => ({ name: each, title: titleOf(await textOf(each)) })),
      );
      return { data, lines: columns(data.map(({ name, title }) => [name, title])) };
    }
    oneOf(name, "NAME", names);
    const text = await textOf(name);
    return { data: { name, title: titleOf(text), text }, lines: text.trimEnd().split("\n") };
  },
};

/** @param {string} name */
const textOf = (name) => readFile(new URL(`${name}.md`, docs), "utf8");

/** The first heading. @param {string} text */
const titleOf = (text) => /^# (.*)/m.exec(text)?.[1] ?? "";
