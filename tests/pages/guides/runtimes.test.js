// Deno, Bun and workerd themselves run these files in `npm run x -- test:matrix`; here Node does.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { build } from "esbuild";
import { consumer } from "../../hosts/consumer.js";
import { filesOf, promised } from "./guide.js";

const { folder, put, node } = await consumer({ after });
const files = await filesOf("runtimes");
const text = (/** @type {string} */ name) => String(files.get(name));

test("guide runtimes: the program prints the output that it shows", () => {
  assert.deepEqual(node(text("positions.js")).split("\n"), promised(text("positions.js")));
});

test("guide runtimes: the Worker sends the response that it shows, with the module that its host makes", async () => {
  assert.match(text("wrangler.toml"), /^main = "worker.js"$/m);
  await put("worker.js", text("worker.js"));
  await put(
    "core.js",
    `import { readFile } from "node:fs/promises";
     const bytes = await readFile(new URL("node_modules/phasor/dist/core.wasm", import.meta.url));
     export default await WebAssembly.compile(bytes);`,
  );
  await build({
    entryPoints: [`${folder}/worker.js`],
    outfile: `${folder}/bundle.js`,
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    plugins: [
      {
        name: "the host's module",
        setup({ onResolve }) {
          onResolve({ filter: /\.wasm$/ }, () => ({ path: "./core.js", external: true }));
        },
      },
    ],
  });
  const [, address, answer] = /** @type {RegExpExecArray} */ (
    /^curl "(.+)"\n# (.+)\n$/.exec(text("terminal, curl"))
  );
  const said = node(`
    import worker from "./bundle.js";
    console.log(await (await worker.fetch(new Request("${address}"))).text());
  `);
  assert.equal(said, answer);
});
