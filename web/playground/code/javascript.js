/** @import { Phasor } from "phasor" */
/** @import { Scheme } from "../schemes/scheme.js" */
/** @import { Values } from "../settings.js" */
import { VIEWS } from "../schemes/index.js";

/**
 * The numbers of a picture as a module, for Node after `npm i phasor` and for pages.
 * @param {Phasor} phasor @param {Scheme} scheme @param {Values} settings @param {string} view
 */
export function javascript(phasor, scheme, settings, view) {
  const { modules, text, data } = scheme.program(phasor, settings, view);
  return [
    `// ${heading(scheme, view)}. npm i phasor`,
    `import { load } from "phasor";`,
    ``,
    `const { ${modules.join(", ")} } = await load();`,
    ``,
    ...text,
    `console.log(${data});`,
    ``,
  ].join("\n");
}

/** The heading of a program. @param {Scheme} scheme @param {string} view */
export function heading({ title }, view) {
  return `${title}: ${VIEWS[/** @type {keyof typeof VIEWS} */ (view)].toLowerCase()}`;
}
