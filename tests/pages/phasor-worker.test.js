// phasor/worker in Chromium: as it is, from a CDN, under strict policies. Through bundlers: guides/workers.test.js.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { serve } from "../../scripts/site/serve.js";
import { project } from "../../scripts/setup/setup.js";
import { openBrowser } from "./browser.js";

/** Nothing but this server's own files, and no code made on the way. */
const strict = [
  ...["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'"],
  ...["connect-src 'self'", "img-src data:"],
].join("; ");

const browser = await openBrowser();
/** The page of all visits: a new one takes longer. */
const shared = await browser.newPage();
const folder = await mkdtemp(join(tmpdir(), "phasor-worker-"));
await cp(join(project, "dist"), join(folder, "phasor"), { recursive: true });

after(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

const html = (/** @type {string} */ script) =>
  `<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script></html>`;

/**
 * Open a page whose script sets `result`, and read that.
 * @param {string} root  served, with index.html in it
 * @param {Record<string, string>} [headers]
 */
async function visit(root, headers = { "Content-Security-Policy": strict }) {
  const server = await serve(root, { headers });
  try {
    const { page, problems } = shared;
    problems.length = 0;
    await page.goto(server.url);
    const shown = () => /** @type {any} */ (globalThis).result;
    const result = await page
      .waitForFunction(shown, undefined, { timeout: 120_000 })
      .catch((cause) => assert.fail([cause.message, ...problems].join("\n")));
    return { result: /** @type {any} */ (await result.jsonValue()), problems: [...problems] };
  } finally {
    await server.close();
  }
}

/**
 * A separate page with a script.
 * @param {string} code  whose `result` counts
 */
async function page(code) {
  const root = await mkdtemp(join(folder, "page-"));
  await cp(join(folder, "phasor"), join(root, "phasor"), { recursive: true });
  await writeFile(join(root, "main.js"), `${code}\nglobalThis.result = result;`);
  await writeFile(join(root, "index.html"), html("main.js"));
  return root;
}

const computes = `
  const { rope, embedding, dispose } = await load();
  const { cos } = await rope.table(8, 4);
  const table = await embedding.from([[1, 2], [3, 4]]);
  const row = await table.lookup([1]);
  const result = [cos instanceof Tensor, ...cos.shape, ...row.data].join(" ");
  await dispose();
`;
const computed = "true 8 2 3 4";

test("worker: it works unbundled in a page under a strict policy", async () => {
  const root = await page(`import { load, Tensor } from "./phasor/worker.js"; ${computes}`);
  const { result, problems } = await visit(root);
  assert.equal(result, computed);
  assert.deepEqual(problems, []);
});

test("worker: it shares memory with an isolated page, and copies in another page", async () => {
  const root = await page(`
    import { load } from "./phasor/worker.js";
    const { normalize, dispose } = await load();
    const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    const [x, out] = [new Float32Array(buffer, 0, 2), new Float32Array(buffer, 8, 2)];
    x.set([3, 4]);
    const found = await normalize.l2(x, { out });
    const result = [crossOriginIsolated, found.data === out, out.map((y) => Math.round(y * 10))].join(" ");
    await dispose();
  `);
  const isolated = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
  };
  for (const [headers, isIsolated] of /** @type {const} */ ([
    [isolated, true],
    [{}, false],
  ])) {
    const { result, problems } = await visit(root, {
      "Content-Security-Policy": strict,
      ...headers,
    });
    assert.equal(result, `${isIsolated} true 6,8`);
    assert.deepEqual(problems, []);
  }
});

test("worker: two workers give the same bits as one, in a page under a strict policy", async () => {
  const root = await page(`
    import { load } from "./phasor/worker.js";
    const phasors = [await load(), await load({ workers: 2 })];
    const floats = (length) => Float32Array.from({ length }, (_, i) => ((i * 7919) % 1009) / 1009 - 0.5);
    const rows = { data: floats(500 * 64), shape: [500, 64] };
    const many = { data: floats(20000 * 64), shape: [20000, 64] };
    const heads = { data: floats(4 * 150 * 64), shape: [4, 150, 64] };
    const calls = [
      async ({ similarity }) => [await similarity.matrix(rows)],
      async ({ nearest }) => Object.values(await nearest(many, rows.data.subarray(0, 64), { k: 3 })),
      async ({ nearest }) => Object.values(await nearest(many, { data: floats(16 * 64), shape: [16, 64] }, { k: 3 })),
      async ({ attention }) => Object.values(await attention.scaledDotProduct({ q: heads, k: heads, v: heads })),
      async ({ sinusoidal }) => [await sinusoidal.table(1000, 300, { out: new Float32Array(300000) })],
    ];
    const result = [];
    for (const call of calls) {
      const [one, two] = await Promise.all(phasors.map(call));
      result.push(one.every(({ data }, i) => data.length > 0 && data.every((x, j) => x === two[i].data[j])));
    }
    await Promise.all(phasors.map(({ dispose }) => dispose()));
  `);
  const { result, problems } = await visit(root);
  assert.deepEqual(result, [true, true, true, true, true]);
  assert.deepEqual(problems, []);
});

test("worker: it works from another origin, as from a CDN", async () => {
  const cdn = await serve(folder, { headers: { "Access-Control-Allow-Origin": "*" } });
  const root = await page(`import { load, Tensor } from "${cdn.url}phasor/worker.js"; ${computes}`);
  // A worker's imports are its own policy's matter, not the scripts'.
  const policy = `script-src 'self' ${cdn.url} 'wasm-unsafe-eval'; worker-src blob: ${cdn.url}`;
  const { result } = await visit(root, { "Content-Security-Policy": policy });
  await cdn.close();
  assert.equal(result, computed);
});

test("worker: a page that requires trusted types starts it where a policy named phasor may be made", async () => {
  const addresses = [
    "undefined",
    '"phasor/worker-thread.js"',
    "new URL('phasor/worker-thread.js', location)",
  ];
  const root = await page(`
    import { load, Tensor } from "./phasor/worker.js";
    const result = [];
    for (const worker of [${addresses}]) {
      try {
        const { sinusoidal, dispose } = await load({ worker });
        result.push((await sinusoidal.table(1, 2)).data.join());
        await dispose();
      } catch (error) { result.push(error.name + ": " + error.message); }
    }
  `);
  const visited = async (/** @type {string} */ types) =>
    (
      await visit(root, {
        "Content-Security-Policy": `${strict}; require-trusted-types-for 'script'${types}`,
      })
    ).result;
  assert.deepEqual(await visited(""), ["0,1", "0,1", "0,1"]);
  assert.deepEqual(await visited("; trusted-types phasor"), ["0,1", "0,1", "0,1"]);
  for (const refused of await visited("; trusted-types other"))
    assert.match(
      refused,
      /^LoadError: .*TrustedScriptURL.*; allow a policy named "phasor".* or pass a TrustedScriptURL or a Worker$/,
    );
});

test("worker: it accepts a trusted address, or a worker, in a page that requires trusted types", async () => {
  const trusting = `
    import { load, Tensor } from "./phasor/worker.js";
    const rules = { createScriptURL: (address) => address };
    const trusted = trustedTypes.createPolicy("own", rules).createScriptURL("phasor/worker-thread.js");
    const refused = await load().catch(({ name }) => name);
    const own = new Worker(trusted, { type: "module" });
    const worker = QUESTION ? trusted : own;
  `;
  for (const question of ["true", "false"]) {
    const code =
      trusting.replace("QUESTION", question) + computes.replace("load()", "load({ worker })");
    const root = await page(`${code.replace("[cos", "[refused, cos")}`);
    const policy = `${strict}; require-trusted-types-for 'script'; trusted-types own`;
    const { result } = await visit(root, { "Content-Security-Policy": policy });
    assert.equal(result, `LoadError ${computed}`);
  }
});

test("worker: the page stays responsive while a large table is computed, unlike on the main thread", async () => {
  const root = await page(`
    import { load } from "./phasor/worker.js";
    import { load as loadHere } from "./phasor/index.js";
    const [far, here] = [await load(), await loadHere()];
    const turns = async (compute) => {
      let [turns, isDone] = [0, false];
      const go = () => { if (!isDone) { ++turns; setTimeout(go); } };
      go();
      const { data } = await compute();
      isDone = true;
      return [turns, data.length, data.buffer.byteLength];
    };
    const result = [
      await turns(() => far.sinusoidal.table(4096, 4096)),
      await turns(() => here.sinusoidal.table(4096, 4096)),
    ];
  `);
  const { result, problems } = await visit(root);
  const [far, here] = result;
  assert.deepEqual(far.slice(1), [2 ** 24, 2 ** 26]);
  assert.ok(far[0] > 2, `${far[0]} turns`);
  assert.equal(here[0], 1);
  assert.deepEqual(problems, []);
});

test("worker: one that is missing, or that fails by itself, gives an error that says so", async () => {
  const root = await page(`
    import { CoreError, load, LoadError } from "./phasor/worker.js";
    const missing = await load({ worker: "phasor/no-such-worker.js" }).catch((error) => error);
    const { room } = await load({ worker: "failing.js" });
    let failed;
    while (!failed) failed = await room.fail().catch((error) => error);
    const after = await room.fail().catch((error) => error);
    const result = [
      missing instanceof LoadError, missing.message,
      failed instanceof CoreError, failed.message, after === failed,
    ];
  `);
  await writeFile(
    join(root, "failing.js"),
    `import { serve } from "./phasor/worker.js";
     const fail = () => void setTimeout(() => { throw new Error("out of order"); });
     serve(async () => ({ room: { fail } }));`,
  );
  const { result } = await visit(root);
  assert.deepEqual([result[0], result[2], result[4]], [true, true, true]);
  assert.match(result[1], /^phasor could not start its worker from phasor\/no-such-worker\.js: /);
  assert.match(result[3], /^the worker stopped: .*out of order; call load\(\) for a fresh one$/);
});
