// Builds and runs every entry of the package in every environment, and prints the results.
//   npm run x -- test:matrix        all; what is heavy is installed into build/matrix
//   npm run x -- test:matrix WORD   the environments whose names have the word

import { join } from "node:path";
import { consumer } from "../../tests/hosts/consumer.js";
import { closeBrowser } from "../../tests/hosts/matrix/browser.js";
import { guides } from "../../tests/hosts/matrix/heavy/guides.js";
import { heavy } from "../../tests/hosts/matrix/heavy/heavy.js";
import { folder as heavyFolder, install } from "../../tests/hosts/matrix/heavy/install.js";
import { projects } from "../../tests/hosts/matrix/heavy/projects.js";
import { light, node } from "../../tests/hosts/matrix/light.js";
import { programs, tryAll } from "../../tests/hosts/matrix/matrix.js";
import { table } from "../bench/report.js";
import { build } from "../package/build.js";
import { runScript, step } from "../setup/run.js";

const word = (process.argv[2] ?? "").toLowerCase();

/** @param {{ name: string }} environment */
const isWanted = ({ name }) => name.toLowerCase().includes(word);

await build();
/** @type {(() => Promise<void>)[]} */
const ends = [closeBrowser];
await runScript(async () => {
  const { folder } = await consumer({ after: (end) => ends.push(end) });
  const chosen = [
    ...[node, ...light].filter(isWanted).map((environment) => ({ environment, folder })),
    ...heavy.filter(isWanted).map((environment) => ({ environment, folder: heavyFolder })),
  ];
  const shown = Object.entries({ ...guides, ...projects }).filter(([name]) => isWanted({ name }));
  if (shown.length > 0 || chosen.some(({ folder }) => folder === heavyFolder)) {
    await install(join(folder, "node_modules/phasor"));
  }
  const all = programs();
  const expected = await node.run({ folder, at: folder, programs: all, settled: true });

  const rows = [["", ...all.map(({ entry }) => entry)]];
  /** Notes of cells, each once. @type {string[]} */
  const notes = [];
  let bad = 0;
  for (const { environment, folder } of chosen) {
    const name = `${environment.name} ${await environment.version()}`;
    const cells = await step(name, () => tryAll(environment, folder, expected));
    const row = cells.map(({ good, said }) => {
      if (!good) ++bad;
      const [, verdict, note] = /** @type {RegExpExecArray} */ (
        /^(ok|no)?(?:: )?([^]*)$/.exec(said)
      );
      if (!note) return verdict;
      if (!notes.includes(note)) notes.push(note);
      return `${good ? verdict : "FAILS"} (${notes.indexOf(note) + 1})`;
    });
    rows.push([name, ...row]);
  }
  for (const [name, check] of shown) {
    await step(name, () =>
      check().catch((error) => {
        ++bad;
        console.log(error.message);
      }),
    );
  }
  if (chosen.length > 0) console.log(`\n${table(rows)}`);
  for (const [i, note] of notes.entries()) console.log(`(${i + 1}) ${note}`);
  if (bad > 0) throw new Error(`${bad} are not what they should be.`);
});
for (const end of ends) await end();
