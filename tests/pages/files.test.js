// The readers of files in Chromium, whose streams are not Node's: .npz above all, sound and broken.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { npz } from "phasor/files";
import { project } from "../../scripts/setup/setup.js";
import { openBrowser } from "./browser.js";

const entry = await readFile(join(project, "dist/files.js"));
const server = createServer(({ url }, response) => {
  const isModule = url === "/files.js";
  response.setHeader("content-type", isModule ? "text/javascript" : "text/html");
  response.end(isModule ? entry : "<!doctype html><title>Files</title><link rel=icon href=data:,>");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
const browser = await openBrowser();
const visit = await browser.newPage();
await visit.page.goto(`http://127.0.0.1:${port}/`);

after(async () => {
  await browser.close();
  server.close();
});

/** @typedef {{name: string, base64: string}} Given */

/**
 * Each file read whole, as the user's own `File`: what came out, or the error. Runs here and in the page.
 * @param {{entry: string, files: Given[]}} given
 */
async function read({ entry, files }) {
  /** @type {typeof import("phasor/files")} */
  const { gguf, npz } = await import(entry);
  return Promise.all(
    files.map(async ({ name, base64 }) => {
      const file = new File(
        [Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))],
        name,
      );
      try {
        const opened = await (name.endsWith(".npz") ? npz : gguf).read(file);
        const tensors = await Promise.all(
          opened.names.map(async (each) => {
            const { shape } = await opened.info(each);
            const { data } = await opened.tensor(each).catch((error) => {
              if (error.code === "GGUF_DTYPE_UNSUPPORTED") return { data: [] };
              throw error;
            });
            return { name: each, shape, data: Array.from(data, Number) };
          }),
        );
        return { tensors, code: "", message: "" };
      } catch (error) {
        const { code, message } = /** @type {any} */ (error);
        return { tensors: [], code: String(code), message };
      }
    }),
  );
}

/** @param {Given[]} files */
const inPage = (files) => visit.page.evaluate(read, { entry: "/files.js", files });

/** @param {Given[]} files */
const inNode = (files) =>
  read({ entry: pathToFileURL(join(project, "dist/files.js")).href, files });

/** @param {string} path  in tests/truth/golden */
const golden = async (path) => ({
  name: path,
  base64: (await readFile(join(project, "tests/truth/golden", path))).toString("base64"),
});

/** @param {"formats" | "bad"} folder */
const all = async (folder) => {
  const names = await readdir(join(project, "tests/truth/golden", folder));
  const wanted = names.filter((name) => /\.(npz|gguf)$/.test(name));
  return Promise.all(wanted.map((name) => golden(`${folder}/${name}`)));
};

test("files: Chromium reads the reference's .npz and GGUF files as Node does", async () => {
  const files = await all("formats");
  assert.equal(files.length, 8);
  const found = await inPage(files);
  assert.deepEqual(found, await inNode(files));
  for (const { tensors, message } of found) assert.ok(tensors.length > 0, message);
});

test("files: Chromium refuses every broken .npz and GGUF file by the same rule as Node", async () => {
  const files = await all("bad");
  assert.equal(files.length, 31);
  const found = await inPage(files);
  const codes = (/** @type {typeof found} */ list) =>
    list.map(({ code }, i) => `${files[i].name}: ${code}`);
  assert.deepEqual(codes(found), codes(await inNode(files)));
  for (const { code } of found) assert.match(code, /^(NPZ|NPY|GGUF)_/);
});

test("files: a deflated array with changed bytes is rejected or read correctly in Chromium, too", async () => {
  const bytes = await npz.write({ a: [1, 2, 3, 4], b: [5] }, { compress: true });
  const variants = Array.from(bytes.keys(), (at) => {
    const changed = Buffer.from(bytes);
    changed[at] ^= 0x55;
    return { name: "a.npz", base64: changed.toString("base64") };
  });
  const cut = Array.from(bytes.keys(), (length) => ({
    ...{ name: "a.npz", base64: Buffer.from(bytes.subarray(0, length)).toString("base64") },
  }));
  const changed = await inPage(variants);
  for (const { code, message } of changed) assert.match(code || "NPZ_", /^NP[ZY]_/, message);
  assert.ok(changed.filter(({ code }) => code).length > bytes.length / 2);
  for (const { code, message } of await inPage(cut)) assert.match(code, /^NPZ_/, message);
});

test("files: Chromium writes the same bytes as Node, and no page reports a problem", async () => {
  const ours = await visit.page.evaluate(async () => {
    /** @type {typeof import("phasor/files")} */
    const { npz, safetensors } = await import(/** @type {any} */ ("/files.js"));
    const tensors = { b: new Float32Array(1000), a: Int8Array.of(1, 2) };
    const packed = await npz.read(await npz.write(tensors, { compress: true }));
    return {
      npz: Array.from(await npz.write(tensors)),
      safetensors: Array.from(safetensors.write(tensors)),
      size: (await packed.tensor("b")).size,
    };
  });
  const { safetensors } = await import("phasor/files");
  const tensors = { b: new Float32Array(1000), a: Int8Array.of(1, 2) };
  assert.deepEqual(ours.npz, Array.from(await npz.write(tensors)));
  assert.deepEqual(ours.safetensors, Array.from(safetensors.write(tensors)));
  assert.equal(ours.size, 1000);
  assert.deepEqual(visit.problems, []);
});
