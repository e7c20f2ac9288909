import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { project } from "../../../scripts/setup/setup.js";
import { folderOf, llama, ports, program } from "./phasor.js";

const isWindows = process.platform === "win32";

const outside = await mkdtemp(join(tmpdir(), "phasor-outside-"));
after(() => rm(outside, { recursive: true }));
const secret = { ...llama, model_type: "mistral", hidden_size: 4321 };
await writeFile(join(outside, "config.json"), JSON.stringify(secret));

const { folder, phasor, json, read, put } = await folderOf(
  { after },
  {
    ...(await ports()),
    "config.json": JSON.stringify(llama),
    "model/config.json": JSON.stringify(llama),
    "odd.json": '{"model_type": "no\\u0007ne\\u001b[2J"}',
    "broken.json": "no JSON",
    "%2e%2e/config.json": JSON.stringify(llama),
  },
);

const client = new Client({ name: "test", version: "1" });
const transport = new StdioClientTransport({
  ...{ command: process.execPath, args: [program, "serve"], cwd: folder, stderr: "ignore" },
});
await client.connect(transport);
after(() => client.close());

/** @param {string} name @param {Record<string, unknown>} [given] @returns {Promise<any>} */
async function called(name, given = {}) {
  const {
    content,
    structuredContent,
    isError = false,
  } = /** @type {any} */ (await client.callTool({ name, arguments: given }));
  assert.equal(content.length, 1);
  return { text: content[0].text, data: structuredContent, isError };
}

test("phasor serve lists its tools, with the options of the commands but those of the hub", async () => {
  assert.equal(client.getServerVersion()?.name, "phasor");
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name, inputSchema: { properties = {}, required } }) => [
      name,
      Object.keys(properties).join(" "),
      required?.join(" "),
    ]),
    [
      ["models", "words", ""],
      ["config", "config tower", "config"],
      ["rope", "config length", "config"],
      ["xray", "config length svg badge overwrite", "config"],
      ["identify", "port first heads-after heads", "port"],
      ["check", "port model layer first heads-after length", "port model"],
      ["vectors", "config out tests length seed overwrite", "config out"],
    ],
  );
  const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
  assert.deepEqual(
    writing.map(({ name }) => name),
    ["xray", "vectors"],
  );
});

test("each tool answers with the words and the numbers of its command", async () => {
  const cases = /** @type {[string, Record<string, unknown>, string[]][]} */ ([
    ["models", { words: "cohere2 rope" }, ["cohere2", "rope"]],
    ["config", { config: "model" }, ["model"]],
    ["rope", { config: "config.json", length: 9000 }, ["config.json", "--length", "9000"]],
    ["xray", { config: "llama-3.1-8b", length: 60000 }, ["llama-3.1-8b", "--length", "60000"]],
    ["identify", { port: "port.npz" }, ["port.npz"]],
    ["check", { port: "forgotten.npz", model: "config.json" }, ["forgotten.npz", "--model", "config.json"]], // prettier-ignore
    ["vectors", { config: "gpt2", out: "kit/a", tests: "none", length: 8 }, ["gpt2", "--out", "kit/a", "--tests", "none", "--length", "8"]], // prettier-ignore
  ]);
  for (const [name, given, args] of cases) {
    const { text, data, isError } = await called(name, given);
    assert.equal(isError, false, text);
    assert.equal(`${text}\n`, (await phasor(name, ...args)).stdout, name);
    assert.deepEqual(data, (await json(name, ...args)).data, name);
  }
  assert.match((await called("identify", { port: "port.npz" })).text, /RoPE, .*llama3/);
});

test("a bad argument is the command's sentence, as an error of the tool", async () => {
  const cases = /** @type {[string, Record<string, unknown>, RegExp][]} */ ([
    ["xray", {}, /^config must be given; got none$/],
    ["check", { port: "port.npz" }, /^model must be given; got none$/],
    ["xray", { config: "gpt2", lenght: 5 }, /^arguments must be among config, length, svg, badge, overwrite; got "lenght"; did you mean "length"\?$/], // prettier-ignore
    ["xray", { config: "gpt2", toString: 5 }, /^arguments must be among .*"toString"/], // prettier-ignore
    ["xray", { config: "gpt2", length: "5" }, /^length must be of type integer; got "5"$/],
    [
      "xray",
      { config: "gpt2", length: -1 },
      /^length must be a whole number from 1 to 2147483647; got "-1"$/,
    ],
    ["xray", { config: ["gpt2"] }, /^config must be of type string; got /],
    ["config", { config: "gpt2", tower: "eye" }, /^tower must be one of text, vision, audio; got "eye"$/], // prettier-ignore
    [
      "xray",
      { config: "gtp2" },
      /^config must be a name of models.names, .*; did you mean "gpt2"\?$/,
    ],
    ["xray", { config: "broken.json" }, /^config must be JSON; got /],
    ["rope", { config: "gpt2" }, /^the model must use rotary embeddings; got scheme "learnedPositions"/], // prettier-ignore
    ["identify", { port: "config.json" }, /^file must .* ZIP archive/],
    ["vectors", { config: "gpt2", out: "x", tests: "pytset" }, /^tests must be none, or of pytest/],
  ]);
  for (const [name, given, says] of cases) {
    const { text, data, isError } = await called(name, given);
    assert.equal(isError, true, text);
    assert.match(text, says);
    assert.equal(data, undefined);
  }
  await assert.rejects(called("rows"), /-32602.*name must be one of models, config, .*got "rows"/);
  const odd = await called("config", { config: "odd.json" });
  assert.ok(!/\p{Cc}/u.test(odd.text.replaceAll("\n", "")), "controls of a file are written out");
});

test("nothing outside the folder is read", { skip: isWindows }, async () => {
  await symlink(outside, join(folder, "way"));
  await symlink(join(outside, "config.json"), join(folder, "way.json"));
  await mkdir(join(folder, "half"));
  await symlink(join(outside, "config.json"), join(folder, "half/config.json"));
  await symlink(folder, join(folder, "inner"));
  const name = outside.split("/").at(-1);
  const ways = [
    `../${name}/config.json`,
    `model/../../${name}/config.json`,
    `./../${name}`,
    outside,
    join(outside, "config.json"),
    `file://${outside}/config.json`,
    `%2e%2e/${name}/config.json`,
    `..%2f${name}%2fconfig.json`,
    `..\\${name}\\config.json`,
    "C:\\config.json",
    "\\\\host\\share\\config.json",
    "config.json\0.json",
    "way",
    "way/config.json",
    "way.json",
    "half",
    "inner/way.json",
    "/dev/stdin",
    "https://huggingface.co/openai-community/gpt2",
    "openai-community/gpt2",
    "",
  ];
  for (const config of ways) {
    for (const [tool, given] of Object.entries({
      config: { config },
      identify: { port: config },
      check: { port: "port.npz", model: config },
    })) {
      const { text, isError } = await called(tool, given);
      assert.equal(isError, true, `${tool} ${config}: ${text}`);
      assert.doesNotMatch(text, /4,?321|mistral/, config);
    }
  }
  const inner = await called("config", { config: "inner/model/config.json" });
  assert.equal(inner.isError, false, "a link within the folder is followed");
  const plain = await called("config", { config: "%2e%2e/config.json" });
  assert.equal(plain.isError, false, "a name is taken as it is");
});

test("files that are too large, or none, are refused", { skip: isWindows }, async () => {
  await put("large.npz", "");
  await truncate(join(folder, "large.npz"), 2 ** 28 + 1);
  await put("large.json", "");
  await truncate(join(folder, "large.json"), 2 ** 22 + 1);
  const large = await called("identify", { port: "large.npz" });
  assert.match(
    large.text,
    /^port must be a file of at most 268,435,456 bytes; got "large.npz" of /,
  );
  const config = await called("xray", { config: "large.json" });
  assert.match(config.text, /^config must be a file of at most 4,194,304 bytes; got "large.json"/);
  await new Promise((resolve) => execFile("mkfifo", [join(folder, "pipe.npz")], resolve));
  const pipe = await called("identify", { port: "pipe.npz" });
  assert.match(pipe.text, /^port must be a file; got "pipe.npz"/);
});

test(
  "files are written below the folder only, and over others only when told",
  { skip: isWindows },
  async () => {
    // prettier-ignore
    const given = { config: "gpt2", tests: "none", length: 8 };
    const made = await called("vectors", { ...given, out: "new/kit" });
    assert.equal(made.isError, false, made.text);
    await put("new/kit/layers.json", "mine");
    const again = await called("vectors", { ...given, out: "new/kit" });
    assert.match(again.text, /^out must be new; got "new\/kit", which is there: overwrite true/);
    assert.equal(String(await read("new/kit/layers.json")), "mine");
    const over = await called("vectors", { ...given, out: "new/kit", overwrite: true });
    assert.equal(over.isError, false, over.text);
    assert.match(String(await read("new/kit/layers.json")), /^\{/);
    const drawn = await called("xray", { config: "gpt2", svg: "new/x.svg" });
    assert.match(drawn.text, /\nwrote new\/x\.svg$/);
    const picture = await called("xray", { config: "gpt2", svg: "new/x.svg" });
    assert.match(picture.text, /^svg must be new; got "new\/x\.svg"/);
    const badge = await called("xray", { config: "gpt2", badge: "new/x.svg" });
    assert.match(badge.text, /^badge must be new; got "new\/x\.svg"/);

    await writeFile(join(outside, "kept"), "kept");
    await mkdir(join(folder, "taken"));
    await symlink(join(outside, "kept"), join(folder, "taken/layers.json"));
    await symlink(join(outside, "kit"), join(folder, "dangling"));
    await symlink(outside, join(folder, "out"));
    const ways = ["../kit", join(outside, "kit"), "out", "out/kit", "dangling", "dangling/kit", "taken", "a\0b"]; // prettier-ignore
    for (const out of ways) {
      const { text, isError } = await called("vectors", { ...given, out, overwrite: true });
      assert.equal(isError, true, `${out}: ${text}`);
      const { isError: isRefused } = await called("xray", { config: "gpt2", svg: out === "taken" ? "taken/layers.json" : out, overwrite: true }); // prettier-ignore
      assert.equal(isRefused, true, out);
    }
    assert.deepEqual((await readdir(outside)).sort(), ["config.json", "kept"]);
    assert.equal(String(await read("taken/layers.json")), "kept");
  },
);

test("calls that come together are all answered, also those before stdin ends", async () => {
  const all = await Promise.all([1000, 2000, 3000].map((length) => called("xray", { config: "gpt2", length }))); // prettier-ignore
  assert.deepEqual(
    all.map(({ data }) => data.length),
    [1000, 2000, 3000],
  );
  const messages = [
    {
      ...{ id: 1, method: "initialize" },
      params: {
        ...{ protocolVersion: "2025-06-18", capabilities: {} },
        clientInfo: { name: "test", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "config", arguments: { config: "gpt2" } } },
  ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
  const { code, stdout } = await spoken(program, ["no JSON", ...messages, '{"jsonrpc":"2.0"}']);
  assert.equal(code, 0);
  const ids = stdout.trim().split("\n").map((line) => JSON.parse(line).id); // prettier-ignore
  assert.deepEqual(ids, [1, 2], "stdout has nothing but messages");
});

test("without the SDK, serve says what to install", async (t) => {
  const alone = await mkdtemp(join(tmpdir(), "phasor-alone-"));
  t.after(() => rm(alone, { recursive: true }));
  await mkdir(join(alone, "dist"));
  await cp(join(project, "package.json"), join(alone, "package.json"));
  for (const name of await readdir(join(project, "dist"))) {
    if (name.endsWith(".js")) await cp(join(project, "dist", name), join(alone, "dist", name));
  }
  const { code, stdout, stderr } = await spoken(join(alone, "dist", "cli.js"), []);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(
    stderr,
    /^phasor serve: the package @modelcontextprotocol\/sdk must be installed \(npm install @modelcontextprotocol\/sdk\); got .*\n$/,
  );
  const wrong = await phasor("serve", "--json");
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /--json must be left out/);
});

/**
 * What serve says to lines on stdin.
 * @param {string} path  of the command line @param {string[]} lines
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
function spoken(path, lines) {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path, "serve"],
      { cwd: folder },
      (error, stdout, stderr) =>
        // prettier-ignore
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.on("error", () => {}); // it may have ended before it was written to
    child.stdin?.end(lines.map((line) => `${line}\n`).join(""));
  });
}
