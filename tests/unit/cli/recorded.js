// The recording of the guide "Command line": `node tests/unit/cli/recorded.js` runs its commands and writes what they
// print into the guide.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { project } from "../../../scripts/setup/setup.js";
import { glove, llama, phasorIn, ports, sentenceModel } from "./phasor.js";

export const guide = join(project, "web", "guides", "command-line", "index.html");

const COMMAND = /(<pre>\n\$ npx phasor ([^\n]+)\n)[^]*?(?=<\/pre>)/g;

/** @param {string} text */
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The text of the guide with the outputs of its commands. @param {string} html */
export async function recorded(html) {
  const folder = await mkdtemp(join(tmpdir(), "phasor-guide-"));
  try {
    const model = Object.entries(await glove()).map(([name, file]) => [`glove/${name}`, file]);
    const others = { ...(await ports()), ...(await sentenceModel()) };
    const files = { "config.json": JSON.stringify(llama), ...others };
    for (const [name, file] of [...model, ...Object.entries(files)]) {
      await mkdir(dirname(join(folder, String(name))), { recursive: true });
      await writeFile(join(folder, String(name)), file);
    }
    const commands = [...html.matchAll(COMMAND)].map(([, , args]) => args);
    const outputs = await Promise.all(commands.map((args) => phasorIn(folder, args.split(" "))));
    const failed = outputs.find(({ stderr }) => stderr !== "");
    if (failed) throw new Error(failed.stderr);
    return html.replace(COMMAND, (_, begin) => begin + escaped(String(outputs.shift()?.stdout)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await writeFile(guide, await recorded(await readFile(guide, "utf8")));
}
