// The frameworks build and serve these files in `npm run x -- test:matrix`; here parts of Next's are called.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { build } from "esbuild";
import { consumer } from "../../hosts/consumer.js";
import { filesOf, promised } from "./guide.js";

const { folder, put, node } = await consumer({ after });
const files = await filesOf("frameworks");
for (const [name, code] of files) if (/^app\/.*\.js$/.test(name)) await put(name, code);

test("guide frameworks: the server component renders what it computes", async () => {
  // React's elements, without React.
  await put(
    "node_modules/react/jsx-runtime.js",
    "export const jsx = (type, props) => ({ type, props }), jsxs = jsx;",
  );
  await put(
    "node_modules/react/index.js",
    "export const useEffect = () => {}, useState = () => [];",
  );
  await put(
    "node_modules/react/package.json",
    '{ "type": "module", "exports": { ".": "./index.js", "./jsx-runtime": "./jsx-runtime.js" } }',
  );
  await build({
    entryPoints: [`${folder}/app/page.js`],
    outfile: `${folder}/page.js`,
    bundle: true,
    format: "esm",
    loader: { ".js": "jsx" },
    jsx: "automatic",
  });
  const rendered = node(`
    import Page from "./page.js";
    const { props: { children: [words, positions] } } = await Page();
    console.log(words.props.children.join(""), JSON.stringify(positions.props));
  `);
  assert.equal(rendered, 'From the server: 8 x 2 {"length":128,"dim":64}');
});

test("guide frameworks: the route handler sends the response that it shows", () => {
  const [, address, answer] = /** @type {RegExpExecArray} */ (
    /^curl "(.+)"\n# (.+)\n$/.exec(String(files.get("terminal, curl")))
  );
  const said = node(`
    import { GET } from "./app/slopes/route.js";
    console.log(await (await GET(new Request("${address}"))).text());
  `);
  assert.equal(said, answer);
});

test("guide frameworks: the Edge route sends the same response, with a given module", async () => {
  await put(
    "core.js",
    `import { readFile } from "node:fs/promises";
     const bytes = await readFile(new URL("node_modules/phasor/dist/core.wasm", import.meta.url));
     export default await WebAssembly.compile(bytes);`,
  );
  const code = String(files.get("app/edge/route.js"));
  await put("edge.js", code.replace('"phasor/core.wasm?module"', '"./core.js"'));
  const said = node(`
    import { GET } from "./edge.js";
    console.log(await (await GET(new Request("http://localhost:3000/edge?heads=4"))).text());
  `);
  assert.equal(said, "[0.25,0.0625,0.015625,0.00390625]");
});

test("guide frameworks: a tensor survives JSON as shown", () => {
  const code = String(files.get("sent.mjs"));
  assert.deepEqual(node(code).split("\n"), promised(code));
});

test("guide frameworks: values that JSON cannot represent arrive as strings, which functions read", async () => {
  const said = node(`
    import { load, Tensor } from "phasor";
    const { alibi, attention } = await load();
    const bias = alibi.bias(1, 2, { form: "causal" });
    const sent = JSON.parse(JSON.stringify(bias));
    console.log(sent.data.join());
    const given = { q: [[1], [1]], k: [[1], [2]], v: [[1], [2]] };
    const [here, there] = [bias, sent].map((bias) => attention.scaledDotProduct(given, { bias }).output);
    console.log(here.toArray().join() === there.toArray().join());
    try {
      attention.scaledDotProduct(given, { bias: { ...sent, data: [0, null, 0, 0] } });
    } catch ({ message }) {
      console.log(message.endsWith("; got null at 1"));
    }
    console.log(JSON.stringify(new Tensor(BigInt64Array.of(7n), [1]).toJSON().data));
  `);
  assert.match(said, /^0,-Infinity,-0\.00390625,0\ntrue\ntrue\n\["7"\]$/);
});
