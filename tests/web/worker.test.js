import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { load } from "phasor";
import { openTrial } from "./trial.js";

/** @type {Awaited<ReturnType<typeof openTrial>>} */
let trial;

before(async () => {
  trial = await openTrial("worker");
});

after(async () => {
  await trial?.close();
});

/** Points of many directions, the same everywhere. @param {number} N @param {number} D */
const points = (N, D) => ({
  data: Float32Array.from({ length: N * D }, (_, i) => ((i * 7919) % 1009) / 1009 - 0.5),
  shape: [N, D],
});

/**
 * Runs in the page, where `work` and `points(N, D)` are at hand; gives what JSON can hold.
 * @param {import("playwright-core").Page} page @param {string} body
 */
function inPage(page, body) {
  const source = `(async () => { const points = ${String(points)}; ${body} })()`;
  return page.evaluate(source);
}

test("worker: pca gives what the package gives, and leaves the arguments alone", async () => {
  const { page, problems } = await trial.open();
  const { pca } = await load();
  const expected = pca(points(300, 20), { components: 3 });
  const found = /** @type {any} */ (
    await inPage(
      page,
      `const given = points(300, 20);
       const found = await work("pca", { points: given, components: 3 });
       const plain = Object.entries(found).map(([name, { data, shape }]) => [name, [Array.from(data), shape]]);
       return { ...Object.fromEntries(plain), left: given.data.length };`,
    )
  );
  const same = (/** @type {any} */ tensor) => [Array.from(tensor.data), [...tensor.shape]];
  assert.deepEqual(found.mean, same(expected.mean));
  assert.deepEqual(found.components, same(expected.components));
  assert.deepEqual(found.projected, same(expected.projected));
  assert.deepEqual(found.ratio, same(expected.explainedVarianceRatio));
  assert.equal(found.left, 300 * 20);
  assert.deepEqual(problems, []);
});

test("worker: nearest gives what the package gives, and tells its progress", async () => {
  const { page } = await trial.open();
  const { nearest } = await load();
  const expected = nearest(points(500, 8), points(300, 8), { k: 4, metric: "euclidean" });
  const found = /** @type {any} */ (
    await inPage(
      page,
      `const progress = [];
       const args = { vectors: points(500, 8), queries: points(300, 8), k: 4, metric: "euclidean" };
       const { ids, scores } = await work("nearest", args, { onprogress: (p) => progress.push(p) });
       return { progress, ids: Array.from(ids.data), scores: Array.from(scores.data), shape: ids.shape };`,
    )
  );
  assert.deepEqual(found.ids, Array.from(expected.ids.data));
  assert.deepEqual(found.scores, Array.from(expected.scores.data));
  assert.deepEqual(found.shape, [300, 4]);
  assert.deepEqual(found.progress, [128 / 300, 256 / 300, 1]);
});

test("worker: an error comes back with its name and words, and the next call works", async () => {
  const { page, problems } = await trial.open();
  const found = await inPage(
    page,
    `const wrong = await Promise.allSettled([
       work("pca", { points: points(4, 2), components: 9 }),
       work("pca", { points: { data: "text", shape: [2, 2] } }),
     ]);
     const { ratio } = await work("pca", { points: points(4, 2) });
     return [...wrong.map(({ reason }) => [reason.constructor.name, reason.name, reason.message]), ratio.shape];`,
  );
  assert.deepEqual(/** @type {any} */ (found).slice(0, 1), [
    ["RangeError", "RangeError", "components must be a whole number from 1 to 2; got 9"],
  ]);
  assert.deepEqual(/** @type {any} */ (found)[1].slice(0, 2), ["TypeError", "TypeError"]);
  assert.deepEqual(/** @type {any} */ (found)[2], [2]);
  assert.deepEqual(problems, []);
});

/** Counts the workers that a page starts and ends. */
const counting = `
  globalThis.workers = { started: 0, ended: 0 };
  globalThis.Worker = class extends Worker {
    constructor(...given) { super(...given); workers.started++; }
    terminate() { super.terminate(); workers.ended++; }
  };`;

test("worker: it starts with the first call and serves all", async () => {
  const { page } = await trial.open({ scripts: [counting] });
  const found = await inPage(
    page,
    `const before = workers.started;
     const all = await Promise.all([2, 3, 4].map((D) => work("pca", { points: points(9, D) })));
     return [before, workers, all.map(({ mean }) => mean.shape[0])];`,
  );
  assert.deepEqual(found, [0, { started: 1, ended: 0 }, [2, 3, 4]]);
});

test("worker: works that have steps take turns, and each comes to its end", async () => {
  const { page } = await trial.open();
  const found = await inPage(
    page,
    `const args = { vectors: points(200, 8), queries: points(900, 8), k: 1 };
     const jobs = Array.from({ length: 6 }, () => work("nearest", args));
     const late = new Promise((pass) => setTimeout(pass, 90_000, "late"));
     const all = await Promise.all(jobs.map((job) => Promise.race([job, late])));
     return all.map((each) => each === "late" ? each : each.ids.shape.join());`,
  );
  assert.deepEqual(found, Array(6).fill("900,1"));
});

test("worker: work that has steps stops between them, and the worker goes on", async () => {
  const { page } = await trial.open({ scripts: [counting] });
  const found = await inPage(
    page,
    `const abort = new AbortController();
     let steps = 0;
     const job = work("nearest", { vectors: points(3000, 32), queries: points(30000, 32) }, {
       signal: abort.signal,
       onprogress: () => { if (++steps === 2) abort.abort(new Error("enough")); },
     });
     const { message } = await job.catch((error) => error);
     const atStop = steps;
     const { mean } = await work("pca", { points: points(9, 2) });
     await work("nearest", { vectors: points(200, 8), queries: points(900, 8) }); // takes turns with what else runs
     return [message, steps - atStop, workers, mean.shape];`,
  );
  assert.deepEqual(found, ["enough", 0, { started: 1, ended: 0 }, [2]]);
});

test("worker: one long computation ends with its worker, and the others' work is done anew", async () => {
  const { page, problems } = await trial.open({ scripts: [counting] });
  const found = await inPage(
    page,
    `await work("pca", { points: points(9, 2) }); // has started
     const abort = new AbortController();
     const long = work("pca", { points: points(3000, 900), components: 900 }, { signal: abort.signal }); // seconds
     const other = work("pca", { points: points(9, 3) });
     setTimeout(() => abort.abort(), 200);
     const { name } = await long.catch((error) => error);
     const { mean } = await other;
     return [name, workers, mean.shape];`,
  );
  assert.deepEqual(found, ["AbortError", { started: 2, ended: 1 }, [3]]);
  assert.deepEqual(problems, []);
});

test("worker: what is already aborted never starts", async () => {
  const { page } = await trial.open({ scripts: [counting] });
  const found = await inPage(
    page,
    `const { name } = await work("pca", { points: points(9, 2) }, { signal: AbortSignal.abort() }).catch((e) => e);
     return [name, workers.started];`,
  );
  assert.deepEqual(found, ["AbortError", 0]);
});

test("worker: the page goes on meanwhile", async () => {
  const { page } = await trial.open();
  const steps = await inPage(
    page,
    `await work("pca", { points: points(9, 2) });
     let [steps, going] = [0, true];
     work("pca", { points: points(4000, 300), components: 300 }).then(() => (going = false));
     for (; going; steps++) await new Promise((next) => setTimeout(next, 10));
     return steps;`,
  );
  assert.ok(Number(steps) > 5, `${steps} steps of 10 ms`);
});

test("worker: a worker that cannot be started is a typed error", async () => {
  const { page } = await trial.open();
  await page.route("**/worker-*.js", (route) => route.abort());
  const message = await inPage(
    page,
    `return work("pca", { points: points(9, 2) }).catch(({ message }) => message);`,
  );
  assert.equal(message, "The worker failed.");
});

test("worker: the page's one trusted-types policy passes the page's own addresses, and no others", async () => {
  const { page } = await trial.open();
  const found = await inPage(
    page,
    `const names = Object.keys(addresses);
     const refused = (make) => { try { make(); return false; } catch (error) { return error.name; } };
     return [
       names,
       refused(() => new Worker(addresses.worker)),
       refused(() => trustedTypes.createPolicy("phasor", {})),
       refused(() => trustedTypes.createPolicy("other", {})),
     ];`,
  );
  assert.deepEqual(found, [
    ["worker", "models", "serviceWorker"],
    "TypeError",
    "TypeError",
    "TypeError",
  ]);
});
