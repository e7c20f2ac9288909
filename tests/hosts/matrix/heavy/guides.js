// What the guides show of the heavy environments, run as it stands there.

import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { printed } from "../../consumer.js";
import { openBrowser } from "../../../pages/browser.js";
import { filesOf, promised } from "../../../pages/guides/guide.js";
import { folder } from "./install.js";
import { withNext } from "./next.js";
import { binaries } from "./binaries.js";
import { answerOf } from "./workerd.js";

/** What a guide says that a request answers: the comment below `curl`. @param {string} terminal */
function request(terminal) {
  const [, query, answer] = /** @type {RegExpExecArray} */ (
    /^curl "http:\/\/localhost:\d+\/(.*)"\n# (.+)\n$/.exec(terminal)
  );
  return { query, answer };
}

/** An empty folder in which some of a guide's files lie. @param {string} name @param {Map<string, string>} files */
async function project(name, files) {
  const at = join(folder, `guide-${name}`);
  await rm(at, { recursive: true, force: true });
  await mkdir(at, { recursive: true });
  for (const [path, code] of files) {
    if (/^\w+\.(js|toml)$/.test(path)) await writeFile(join(at, path), code);
  }
  return at;
}

/** @type {Record<string, () => Promise<void>>} each throws if the guide is not true */
export const guides = {
  async "guide frameworks, Next"() {
    const files = await filesOf("frameworks");
    const { query, answer } = request(String(files.get("terminal, curl")));
    const at = await project("next", new Map());
    const pages = [...files].filter(([name]) => /^app\/.*\.js$/.test(name));
    // From the server to a component in the browser: what toJSON gives.
    pages.push([
      "app/sent/page.js",
      `import { load } from "phasor";
       import { Sent } from "./sent.js";
       export default async function Page() {
         const { sinusoidal } = await load();
         return <Sent positions={sinusoidal.table(2, 4).toJSON()} />;
       }`,
    ]);
    pages.push([
      "app/sent/sent.js",
      `"use client";
       import { Tensor } from "phasor";
       export const Sent = ({ positions: { data, shape } }) =>
         <p>Sent: {new Tensor(Float32Array.from(data), shape).at(1, 0)}</p>;`,
    ]);
    await withNext(at, Object.fromEntries(pages), async (url) => {
      for (const path of [query, query.replace("slopes", "edge")]) {
        assert.equal(await (await fetch(`${url}/${path}`)).text(), answer, path);
      }
      const browser = await openBrowser();
      const { page, problems } = await browser.newPage();
      await page.goto(url);
      await page.getByText("In the browser: 0.8414709568023682").waitFor();
      assert.equal(await page.getByText("From the server: 8 x 2").count(), 1);
      await page.goto(`${url}/sent`);
      await page.getByText("Sent: 0.8414709568023682").waitFor();
      assert.deepEqual(problems, []);
      await browser.close();
    });
  },

  async "guide runtimes, Deno"() {
    const files = await filesOf("runtimes");
    const at = await project("deno", files);
    const args = /^deno (run.*)$/m.exec(String(files.get("terminal, Deno")))?.[1] ?? "";
    const lines = promised(String(files.get("positions.js"))).join("\n");
    assert.equal(printed(binaries.deno, args.split(" "), at), lines);
  },

  async "guide runtimes, Bun"() {
    const files = await filesOf("runtimes");
    const at = await project("bun", files);
    const args = /^bun (run.*)$/m.exec(String(files.get("terminal, Bun")))?.[1] ?? "";
    const lines = promised(String(files.get("positions.js"))).join("\n");
    assert.equal(printed(binaries.bun, args.split(" "), at), lines);
  },

  async "guide runtimes, Cloudflare workerd"() {
    const files = await filesOf("runtimes");
    const at = await project("workerd", files);
    const { query, answer } = request(String(files.get("terminal, curl")));
    const setting = (/** @type {string} */ name) =>
      new RegExp(`^${name} = "(.+)"$`, "m").exec(String(files.get("wrangler.toml")))?.[1];
    const file = join(at, String(setting("main")));
    const date = setting("compatibility_date");
    assert.equal(await answerOf(file, join(at, "out"), { query, date }), answer);
  },
};
