import assert from "node:assert/strict";
import { after, test } from "node:test";
import { load } from "phasor";
import { openTrial } from "./trial.js";

/** Counts the workers that a page starts and ends. */
const counting = `
  globalThis.workers = { started: 0, ended: 0 };
  globalThis.Worker = class extends Worker {
    constructor(...given) { super(...given); workers.started++; }
    terminate() { super.terminate(); workers.ended++; }
  };`;

const trial = await openTrial("worker");
after(trial.close);
/** The page of all tests: a new one takes longer. */
const shared = await trial.open({ scripts: [counting] });

/** Opens the trial anew. */
const open = () => trial.again(shared);

/** Points of many directions, the same everywhere. @param {number} N @param {number} D */
const points = (N, D) => ({
  data: Float32Array.from({ length: N * D }, (_, i) => ((i * 7919) % 1009) / 1009 - 0.5),
  shape: [N, D],
});

/**
 * Runs in the page, where `pca`, the search `near`, `work` of UMAP's worker and `points(N, D)` are at hand; gives what
 * JSON can hold.
 * @param {import("playwright-core").Page} page @param {string} body
 */
function inPage(page, body) {
  const source = `(async () => { const points = ${String(points)}; ${body} })()`;
  return page.evaluate(source);
}

test("worker: pca gives what the package gives, and leaves the arguments alone", async () => {
  const { page, problems } = await open();
  const { pca } = await load();
  const expected = pca(points(300, 20), { components: 3 });
  const found = await inPage(
    page,
    `const given = points(300, 20);
     const { mean, components, projected, explainedVarianceRatio } = await pca(given, { components: 3 });
     const all = [mean, components, projected, explainedVarianceRatio];
     return [...all.map(({ data, shape }) => [Array.from(data), shape]), given.data.length];`,
  );
  const { mean, components, projected, explainedVarianceRatio } = expected;
  const all = [mean, components, projected, explainedVarianceRatio];
  const same = all.map(({ data, shape }) => [Array.from(data), [...shape]]);
  assert.deepEqual(found, [...same, 300 * 20]);
  assert.deepEqual(problems, []);
});

test("worker: a search gives what the package gives, and tells its progress", async () => {
  const { page } = await open();
  const { nearest } = await load();
  const { ids, scores } = nearest(points(600, 8), points(600, 8), { k: 15 });
  const found = await inPage(
    page,
    `const progress = [];
     const { ids, scores } = await near(points(600, 8), undefined, (share) => progress.push(share));
     return [Array.from(ids.data), Array.from(scores.data), ids.shape, progress];`,
  );
  const shares = [256 / 600, 512 / 600, 1];
  assert.deepEqual(found, [Array.from(ids.data), Array.from(scores.data), [600, 15], shares]);
});

test("worker: an error comes back with its name and words, and the next call works", async () => {
  const { page, problems } = await open();
  const found = await inPage(
    page,
    `const wrong = await Promise.allSettled([
       pca(points(4, 2), { components: 9 }),
       pca({ data: "text", shape: [2, 2] }),
     ]);
     const { mean } = await pca(points(4, 2));
     const words = wrong.map(({ reason }) => [reason.constructor.name, reason.name, reason.message]);
     return [...words, mean.shape, workers];`,
  );
  assert.deepEqual(/** @type {any} */ (found).slice(0, 1), [
    ["RangeError", "RangeError", "pca: components must be a whole number from 1 to 2; got 9"],
  ]);
  assert.deepEqual(/** @type {any} */ (found)[1].slice(0, 2), ["TypeError", "TypeError"]);
  assert.deepEqual(/** @type {any} */ (found).slice(2), [[2], { started: 1, ended: 0 }]);
  assert.deepEqual(problems, []);
});

test("worker: it starts with the first call and serves all", async () => {
  const { page } = await open();
  const found = await inPage(
    page,
    `const before = workers.started;
     const all = await Promise.all([2, 3, 4].map((D) => pca(points(9, D))));
     return [before, workers, all.map(({ mean }) => mean.shape[0])];`,
  );
  assert.deepEqual(found, [0, { started: 1, ended: 0 }, [2, 3, 4]]);
});

test("worker: tasks with steps alternate, and each of them ends", async () => {
  const { page } = await open();
  const found = await inPage(
    page,
    `const jobs = Array.from({ length: 6 }, () => near(points(900, 8)));
     const late = new Promise((pass) => setTimeout(pass, 90_000, "late"));
     const all = await Promise.all(jobs.map((job) => Promise.race([job, late])));
     return all.map((each) => each === "late" ? each : each.ids.shape.join());`,
  );
  assert.deepEqual(found, Array(6).fill("900,15"));
});

test("worker: stopping one long computation ends its worker, and the other tasks run again", async () => {
  const { page, problems } = await open();
  const found = await inPage(
    page,
    `await pca(points(9, 2)); // has started
     const abort = new AbortController();
     const long = pca(points(3000, 900), { components: 900 }, abort.signal); // seconds
     const other = pca(points(9, 3));
     setTimeout(() => abort.abort(), 200);
     const { name } = await long.catch((error) => error);
     const { mean } = await other;
     return [name, workers, mean.shape];`,
  );
  assert.deepEqual(found, ["AbortError", { started: 2, ended: 1 }, [3]]);
  assert.deepEqual(problems, []);
});

test("worker: a task that is already aborted never starts", async () => {
  const { page } = await open();
  const found = await inPage(
    page,
    `const { name } = await pca(points(9, 2), {}, AbortSignal.abort()).catch((error) => error);
     return [name, workers.started];`,
  );
  assert.deepEqual(found, ["AbortError", 0]);
});

test("worker: the page responds meanwhile", async () => {
  const { page } = await open();
  const steps = await inPage(
    page,
    `await pca(points(9, 2));
     let [steps, going] = [0, true];
     pca(points(2000, 256), { components: 256 }).then(() => (going = false));
     for (; going; steps++) await new Promise((next) => setTimeout(next, 10));
     return steps;`,
  );
  assert.ok(Number(steps) > 5, `${steps} steps of 10 ms`);
});

test("worker: a worker that cannot be started is a typed error, and the next call starts another", async () => {
  const { page } = await open();
  await page.route(/\/(worker-thread|umap-worker)-[^/]*\.js$/, (route) => route.abort());
  const failing = `return Promise.all([pca(points(9, 2)), work("umap", {})].map((each) => each.catch(
    ({ name, message }) => [name, message])));`;
  const [own, umap] = /** @type {string[][]} */ (await inPage(page, failing));
  assert.equal(own[0], "LoadError");
  assert.match(own[1], /^phasor could not start its worker from /);
  assert.deepEqual(umap, ["Error", "The worker failed."]);
  await page.unrouteAll();
  assert.deepEqual(await inPage(page, `return (await pca(points(9, 2))).mean.shape;`), [2]);
});

test("worker: UMAP tells its progress; one that is stopped ends, and the next gives the same map", async () => {
  const { page, problems } = await open();
  const found = await inPage(
    page,
    `const neighbors = await near(points(400, 8));
     const progress = [];
     const { places } = await work("umap", neighbors, { onprogress: ({ share }) => progress.push(share) });
     const abort = new AbortController();
     const how = { signal: abort.signal, onprogress: () => abort.abort() };
     const { name } = await work("umap", neighbors, how).catch((error) => error);
     const again = await work("umap", neighbors);
     const wrong = await work("umap", {}).catch(({ name }) => name);
     const isSame = places.every((x, i) => x === again.places[i]);
     return [progress[0] < 0.1, progress.at(-1) > 0.9, places.length, isSame, name, wrong];`,
  );
  assert.deepEqual(found, [true, true, 800, true, "AbortError", "TypeError"]);
  assert.deepEqual(problems, []);
});

test("worker: the page's one trusted-types policy passes the page's own addresses, and no others", async () => {
  const { page } = await open();
  const found = await inPage(
    page,
    `const names = Object.keys(addresses);
     const refused = (make) => { try { make(); return false; } catch (error) { return error.name; } };
     return [
       names,
       refused(() => new Worker(addresses.umap)),
       refused(() => trustedTypes.createPolicy("phasor", {})),
       refused(() => trustedTypes.createPolicy("other", {})),
     ];`,
  );
  assert.deepEqual(found, [
    ["thread", "umap", "lab", "oracle", "models", "serviceWorker"],
    "TypeError",
    "TypeError",
    "TypeError",
  ]);
});

test("worker: a task with steps can be stopped between them, and the worker continues", async () => {
  const { page } = await open();
  await page.clock.install(); // of this page from now on: the last test
  await page.clock.pauseAt(Date.now() + 60_000); // a slow answer would end the worker, as an earlier test shows
  const found = await inPage(
    page,
    `const abort = new AbortController();
     let steps = 0;
     const job = near(points(20000, 16), abort.signal, () => {
       if (++steps === 2) abort.abort(new Error("enough"));
     });
     const { message } = await job.catch((error) => error);
     const atStop = steps;
     const { mean } = await pca(points(9, 2));
     await near(points(900, 8)); // takes turns with what else runs
     return [message, steps - atStop, workers, mean.shape];`,
  );
  assert.deepEqual(found, ["enough", 0, { started: 1, ended: 0 }, [2]]);
});
