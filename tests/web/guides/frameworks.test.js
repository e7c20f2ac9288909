// Next itself builds and serves these files in `npm run test:matrix`; here its parts are called.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { build } from "esbuild";
import { consumer } from "../../consumer.js";
import { filesOf } from "./guide.js";

const { folder, put, node } = await consumer({ after });
const files = await filesOf("frameworks");
for (const [name, code] of files) if (name.startsWith("app/")) await put(name, code);

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

test("guide frameworks: the route handler answers what it says", () => {
  const [, address, answer] = /** @type {RegExpExecArray} */ (
    /^curl "(.+)"\n# (.+)\n$/.exec(String(files.get("terminal, curl")))
  );
  const said = node(`
    import { GET } from "./app/slopes/route.js";
    console.log(await (await GET(new Request("${address}"))).text());
  `);
  assert.equal(said, answer);
});
