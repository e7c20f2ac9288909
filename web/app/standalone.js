// A program of the page as a separate one, for Node: the page gives it `display` and a document, Node does not.

/**
 * What Copy copies. Its first lines say where it runs, what to install, and where its data are from.
 * @param {string} code  as the page runs it
 */
export function standalone(code) {
  if (!/\bdisplay\(/.test(code)) return code;
  const isDrawn = code.includes('"phasor/plots"');
  const isPlotted = code.includes('"@observablehq/plot"');
  const addresses = Array.from(code.matchAll(FETCHED), ([, address]) => address);
  const isRead = addresses.length > 0;
  const files = [
    ...(isRead ? ["existsSync", "readFileSync"] : []),
    ...(isRead || isDrawn ? ["writeFileSync"] : []),
  ];
  const first = [
    `// Node 20.19 or newer: npm install phasor${isPlotted ? " @observablehq/plot linkedom" : ""}`,
    ...(isRead ? [DATA, ...addresses.map((address) => `//   ${address}`)] : []),
    ...(addresses.some(isLocal) ? [SERVED] : []),
    ...(isDrawn ? ["// Figures become files: figure-1.svg and so on."] : []),
    ...(files.length > 0 ? [`import { ${files.join(", ")} } from "node:fs";`] : []),
    ...(isPlotted ? ['import { parseHTML } from "linkedom";'] : []),
    ...(isPlotted ? ["", 'const { document } = parseHTML("<html></html>");'] : []),
    ...(isDrawn ? ["", DISPLAY] : ["const display = console.log;"]),
    ...(isRead ? ["", KEPT] : []),
  ];
  const drawn = code
    .replace(FETCHED, 'kept("$1")')
    .replace("figures({ Plot })", 'figures({ Plot, document, as: "svg" })');
  return `${first.join("\n")}\n\n${drawn}`;
}

/** How programs read data of the site. */
const FETCHED = /\bfetch\("(https?:[^"]+)"\)/g;

const DATA = "// Data, which the first run saves beside the program; later runs need no network:";
const SERVED =
  "// This is a copy of the site on your computer: run the program once while it is served.";

/** @param {string} address */
const isLocal = (address) => /^(localhost|127\..*|\[::1\])$/.test(new URL(address).hostname);

const KEPT = `async function kept(address) {
  const path = new URL(new URL(address).pathname.split("/").at(-1), import.meta.url);
  if (!existsSync(path)) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(\`\${address} answers \${response.status}\`);
    writeFileSync(path, Buffer.from(await response.arrayBuffer()));
  }
  return new Response(readFileSync(path));
}`;
const DISPLAY = `let figureCount = 0;
function display(value) {
  if (!String(value).startsWith("<svg")) return console.log(value);
  writeFileSync(\`figure-\${++figureCount}.svg\`, value);
}`;
