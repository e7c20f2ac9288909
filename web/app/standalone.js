// A program of the page as a separate one, for Node: the page gives it `display` and a document, Node does not.

/**
 * What Copy copies. Its first line says where it runs and what to install.
 * @param {string} code  as the page runs it
 */
export function standalone(code) {
  if (!/\bdisplay\(/.test(code)) return code;
  const isDrawn = code.includes('"phasor/plots"');
  const isPlotted = code.includes('"@observablehq/plot"');
  const first = [
    `// Node 20.19 or newer: npm install phasor${isPlotted ? " @observablehq/plot linkedom" : ""}`,
    ...(isDrawn ? ["// Figures become files: figure-1.svg and so on.", FILES] : []),
    ...(isPlotted ? ['import { parseHTML } from "linkedom";'] : []),
    ...(isPlotted ? ["", 'const { document } = parseHTML("<html></html>");'] : []),
    ...(isDrawn ? ["", DISPLAY] : ["const display = console.log;"]),
  ];
  const drawn = code.replace("figures({ Plot })", 'figures({ Plot, document, as: "svg" })');
  return `${first.join("\n")}\n\n${drawn}`;
}

const FILES = 'import { writeFileSync } from "node:fs";';
const DISPLAY = `let figureCount = 0;
function display(value) {
  if (!String(value).startsWith("<svg")) return console.log(value);
  writeFileSync(\`figure-\${++figureCount}.svg\`, value);
}`;
