/** @import { Phasor } from "phasor" */
/** @import { Scheme } from "../schemes/scheme.js" */
/** @import { Values } from "../settings.js" */
import { print } from "../program.js";
import { heading } from "./javascript.js";

/**
 * A picture as a cell of Observable's notebooks and Framework.
 * @param {Phasor} phasor @param {Scheme} scheme @param {Values} settings @param {string} view
 */
export function observable(phasor, scheme, settings, view) {
  const { modules, text, data, given, kind, options } = scheme.program(phasor, settings, view);
  const shown = given === undefined ? data : print(given);
  return [
    `// ${heading(scheme, view)}`,
    `import { load } from "npm:phasor";`,
    `import { figures } from "npm:phasor/plots";`,
    `import * as Plot from "npm:@observablehq/plot";`,
    ``,
    `const { ${modules.join(", ")} } = await load();`,
    `const plots = figures({ Plot });`,
    ``,
    ...text,
    `display(plots.${kind}(${shown}, {`,
    ...Object.entries(options).map(([name, value]) => `  ${name}: ${print(value)},`),
    `}));`,
    ``,
  ].join("\n");
}
