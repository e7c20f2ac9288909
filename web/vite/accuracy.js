import { measure } from "../../scripts/data/accuracy.js";
import { tables } from "../guides/accuracy/table.js";

const id = "virtual:accuracy";

/**
 * The measured errors of the guide "Accuracy": its tables and numbers as HTML, its charts' data as a
 * module. They are measured once for each build, in the package that the site is built with.
 *
 * @returns {import("vite").Plugin}
 */
export function accuracy() {
  /** @type {ReturnType<typeof measure> | undefined} */
  let measuring;
  const measured = () => (measuring ??= measure());
  return {
    name: "accuracy",
    resolveId: (name) => (name === id ? `\0${id}` : undefined),
    async load(name) {
      if (name !== `\0${id}`) return;
      return `export default ${JSON.stringify((await measured()).charts)};`;
    },
    transformIndexHtml: {
      order: "pre", // before the template, which knows neither element
      async handler(html, { path }) {
        if (path !== "/guides/accuracy/index.html") return html;
        const { errors } = await measured();
        return html
          .replace("<x-promises></x-promises>", () => tables(errors))
          .replace(/<x-measured name="([\w-]+)"><\/x-measured>/g, (_, name) =>
            String(Number(errors[name].toPrecision(2))),
          );
      },
    },
  };
}
