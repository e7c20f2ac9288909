import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { sectionOf } from "../../../scripts/package/notes.js";
import { release } from "../../../scripts/package/release.js";
import { git, mustBeSame, tarballIn } from "../../../scripts/package/reproduce.js";
import { project } from "../../../scripts/setup/setup.js";
import { commands as known } from "../../../scripts/x.js";
import { printed } from "../../hosts/consumer.js";

const changelog = `# Changelog

## 0.2.0 (unreleased)

Built with Emscripten 3.1.69.

- Something.

## 0.1.0 (2026-01-02)

Built with Emscripten 3.1.69.
`;

/**
 * A repository with this package, of which 0.1.0 is released.
 * @param {import("node:test").TestContext} t
 */
async function repository(t) {
  const folder = await mkdtemp(join(tmpdir(), "phasor-release-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const git = (/** @type {string[]} */ ...args) => printed("git", args, folder);
  const own = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  const write = (/** @type {string} */ name, /** @type {string} */ text) =>
    writeFile(join(folder, name), text);
  await write("package.json", `${JSON.stringify({ ...own, version: "0.1.0" }, null, 2)}\n`);
  for (const name of ["package-lock.json", ".gitignore", "README.md", "LICENSE"]) {
    await cp(join(project, name), join(folder, name));
  }
  await write("CHANGELOG.md", changelog);
  git("init", "--quiet");
  git("config", "user.name", "phasor");
  git("config", "user.email", "phasor@example.org");
  git("add", ".");
  git("commit", "--quiet", "--message", "0.1.0");
  git("tag", "v0.1.0");

  const said = /** @type {string[]} */ ([]);
  t.mock.method(console, "log", (/** @type {string} */ line) => said.push(line));
  return {
    folder,
    git,
    said,
    read: (/** @type {string} */ name) => readFile(join(folder, name), "utf8"),
    /** @param {string} version @param {Partial<Parameters<typeof release>[1]>} [options] */
    release: (version, options) =>
      release(version, {
        folder,
        dryRun: false,
        compiler: "3.1.69",
        async prepare() {
          await mkdir(join(folder, "dist"), { recursive: true });
          await write("dist/index.js", "// as built\n");
        },
        ...options,
      }),
    /** All that a release may change. */
    state: () =>
      [git("status", "--porcelain"), git("rev-parse", "HEAD"), git("tag", "--list")].join("\n"),
  };
}

test("release: a dry run shows what would be published and changes nothing", async (t) => {
  const { release, said, state } = await repository(t);
  const before = state();
  await release("0.2.0", { dryRun: true });
  assert.equal(state(), before);
  assert.match(said.join("\n"), /^phasor 0\.2\.0: build\/phasor-0\.2\.0\.tgz$/m);
  assert.match(said.join("\n"), /dist\/index\.js/);
});

test("release: the version and the day are written, committed and tagged", async (t) => {
  const { git, read, release } = await repository(t);
  await release("0.2.0");
  assert.equal(git("status", "--porcelain"), "");
  assert.equal(git("describe", "--exact-match"), "v0.2.0");
  assert.equal(git("log", "-1", "--format=%s"), "0.2.0");
  assert.deepEqual(git("diff", "--name-only", "v0.1.0", "v0.2.0").split("\n"), [
    "CHANGELOG.md",
    "package-lock.json",
    "package.json",
  ]);
  assert.equal(JSON.parse(await read("package.json")).version, "0.2.0");
  assert.equal(JSON.parse(await read("package-lock.json")).packages[""].version, "0.2.0");
  assert.match(await read("CHANGELOG.md"), /^## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\nBuilt with/m);
});

test("release: an unclean state is a typed error, and nothing is changed", async (t) => {
  const { folder, git, release, state } = await repository(t);
  const before = state();
  /** @type {[version: string, options: object, words: RegExp][]} */
  const refused = [
    ["two", {}, /^version must be three numbers such as 0\.2\.0; got two\.$/],
    ["0.2", {}, /^version must be three numbers/],
    ["v0.2.0", {}, /^version must be three numbers/],
    ["0.02.0", {}, /^version must be three numbers/],
    ["0.0.9", {}, /^version must not be older than package\.json's 0\.1\.0; got 0\.0\.9\.$/],
    ["0.1.0", {}, /^version must be newer than 0\.1\.0, which is released; got 0\.1\.0\.$/],
    ["0.10.0", {}, /^CHANGELOG\.md must have a section "## 0\.10\.0"\.$/],
    ["0.2.0", { compiler: "6.0.5" }, /: "Built with Emscripten 6\.0\.5\."$/],
    ["0.2.0", { prepare: () => Promise.reject(new Error("A test failed.")) }, /^A test failed\.$/],
  ];
  for (const [version, options, words] of refused) {
    await assert.rejects(release(version, options), { message: words });
    assert.equal(state(), before, version);
  }
  await writeFile(join(folder, "README.md"), "changed\n");
  await assert.rejects(release("0.2.0"), { message: /^Everything must be committed; got/ });
  git("checkout", "--quiet", "README.md");
  assert.equal(state(), before);
});

/** @param {string} name */
const workflow = async (name) =>
  parse(await readFile(join(project, ".github/workflows", `${name}.yml`), "utf8"));

/** @param {{ steps: { run?: string, uses?: string }[] }} job */
const commands = ({ steps }) => steps.map(({ run, uses }) => String(run ?? uses));

test("workflows: only tested packages are published, with provenance and without a token", async () => {
  const { on, permissions, jobs } = await workflow("publish");
  assert.deepEqual(on, { push: { tags: ["v*"] } });
  assert.deepEqual(permissions, { contents: "read" });
  assert.deepEqual(jobs.publish.permissions, { "id-token": "write" });
  assert.equal(jobs.test.permissions, undefined);
  assert.equal(jobs.publish.needs, "test");

  const before = commands(jobs.test);
  const [tested, packed, kept] = [".ci/run", "npm pack", "actions/upload-artifact"].map((word) =>
    before.findIndex((command) => command.includes(word)),
  );
  assert.ok(0 < tested && tested < packed && packed < kept, "tested, then packed, then kept");

  const published = commands(jobs.publish);
  assert.match(String(published.at(-1)), /^npm publish \S+\.tgz/);
  assert.equal(published.filter((command) => /npm (ci|pack|run)|checkout/.test(command)).length, 0);
  const [{ with: node }] = jobs.publish.steps;
  assert.ok(node["node-version"] >= 24, "trusted publishing needs Node 22.14");
  const npm = /^npm install --global --ignore-scripts npm@11\.(\d+)\.\d+$/;
  const [minor] = published.flatMap((command) => npm.exec(command)?.[1] ?? []);
  assert.ok(Number(minor) >= 5, "and npm 11.5.1; an exact version, since this job may publish");
});

const workflows = await readdir(join(project, ".github/workflows"));

test("workflows: containers are named by digest, which nobody can change later", async () => {
  let containers = 0;
  for (const file of workflows) {
    const { jobs } = await workflow(file.replace(".yml", ""));
    for (const { container } of Object.values(jobs)) {
      if (container === undefined) continue;
      containers += 1;
      assert.match(container, /^node:22-bookworm@sha256:[0-9a-f]{64}$/, file);
    }
  }
  assert.ok(containers >= 6, `${containers}`);
});

test("workflows: no secret is used, and every action is pinned by commit, with its version", async () => {
  for (const file of workflows) {
    const source = await readFile(join(project, ".github/workflows", file), "utf8");
    const text = JSON.stringify(await workflow(file.replace(".yml", "")));
    assert.doesNotMatch(text.replaceAll('"id-token":', ""), /secrets|token/i, file);
    const used = [...text.matchAll(/"uses":"([^"]+)"/g)].map(([, action]) => action);
    assert.ok(used.length > 0);
    const known = /^(actions\/[a-z-]+|pypa\/gh-action-pypi-publish)@[0-9a-f]{40}$/;
    for (const action of used) {
      assert.match(action, known);
      const line = source.split("\n").find((each) => each.includes(action));
      assert.match(String(line), /# v\d+\.\d+\.\d+$/, action); // which Dependabot reads and writes
    }
  }
});

test("workflows: no checkout leaves its token where dependencies of the build can read it", async () => {
  let count = 0;
  for (const file of workflows) {
    const { jobs } = await workflow(file.replace(/\.yml$/, ""));
    for (const { steps } of Object.values(/** @type {Record<string, any>} */ (jobs))) {
      for (const step of steps) {
        if (!step.uses?.startsWith("actions/checkout@")) continue;
        assert.equal(step.with?.["persist-credentials"], false, file);
        count += 1;
      }
    }
  }
  assert.ok(count >= 10, `${count} checkouts`);
});

test("workflows: dependencies are audited, the tarball is built twice, and its SBOM is kept", async () => {
  const audit = commands((await workflow("ci")).jobs.audit);
  assert.ok(audit.some((command) => command.startsWith("npm audit --package-lock-only")));
  const { jobs } = await workflow("publish");
  const before = commands(jobs.test);
  const at = (/** @type {string} */ word) => before.findIndex((command) => command.includes(word));
  assert.ok(
    0 < at("npm pack") && at("npm pack") < at("scripts/package/reproduce.js build/release"),
  );
  assert.ok(at("npm pack --pack-destination build/release") > 0);
  assert.ok(at("scripts/package/reproduce.js") < at("npm sbom --sbom-format cyclonedx"));
  const kept = jobs.test.steps.map((/** @type {any} */ step) => step.with?.path);
  assert.ok(kept.includes("build/release/phasor.cdx.json"));
});

test("workflows: the changelog's section of a version becomes its release on GitHub", async () => {
  const { jobs } = await workflow("publish");
  assert.deepEqual(jobs.release.permissions, { contents: "write" });
  assert.deepEqual(jobs.release.needs, ["publish", "publish-wheel"]);
  const made = commands(jobs.test).find((command) => command.includes("notes.js"));
  assert.equal(
    made,
    'node scripts/package/notes.js "${GITHUB_REF_NAME#v}" > build/release/notes.md',
  );
  const script = join(project, "scripts/package/notes.js");
  const { stdout } = spawnSync(process.execPath, [script, "0.1.0"], { encoding: "utf8" });
  assert.match(stdout, /^Built with Emscripten [\d.]+\.\n/);
  const log = "# Changelog\n\n## 0.2.0\n\nNew.\n\n## 0.1.0 (2026-01-02)\n\nOld.\n";
  assert.equal(sectionOf(log, "0.2.0"), "## 0.2.0\n\nNew.\n\n");
  assert.throws(() => sectionOf(log, "0.3.0"), /must have a section "## 0.3.0"/);
});

test("workflows: the site is built for its own address", async () => {
  const { steps } = (await workflow("site")).jobs.build;
  const asked = steps.find((/** @type {any} */ step) => /configure-pages/.test(step.uses));
  const built = steps.find((/** @type {any} */ step) => step.run === "node scripts/site/page.js");
  assert.equal(built.env.PHASOR_SITE, `\${{ steps.${asked.id}.outputs.base_url }}`);
});

test("dependabot: every folder with a package.json or a requirements.txt is watched", async () => {
  const { updates } = parse(await readFile(join(project, ".github/dependabot.yml"), "utf8"));
  const below = ["src", "web", "tests", "scripts"].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true }).map((path) => `/${folder}/${path}`),
  );
  for (const [kind, file] of [
    ["npm", "package.json"],
    ["pip", "requirements.txt"],
  ]) {
    const found = below.filter((path) => basename(path) === file && !/node_modules/.test(path));
    const root = existsSync(join(project, file)) ? ["/"] : [];
    const of = updates.filter((/** @type {any} */ each) => each["package-ecosystem"] === kind);
    assert.equal(of.length, 1, kind);
    assert.deepEqual(of[0].directories, [...root, ...found.map((path) => dirname(path)).sort()]);
    assert.ok(found.length > 5, kind);
  }
});

test("devcontainer: it is the image of the workflows", async () => {
  const text = await readFile(join(project, ".devcontainer/devcontainer.json"), "utf8");
  assert.equal(JSON.parse(text).image, (await workflow("ci")).jobs.build.container);
});

const isRoot = process.getuid?.() === 0;
const NOT_ROOT = "only root may give a folder away";

test(
  "reproduce: git works in a checkout of another user",
  { skip: !isRoot && NOT_ROOT },
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), "phasor-owner-"));
    t.after(() => rm(home, { recursive: true, force: true }));
    const folder = join(home, "checkout");
    const env = { HOME: home, GIT_CONFIG_GLOBAL: join(home, "none"), GIT_CONFIG_NOSYSTEM: "1" };
    const saved = { ...process.env };
    Object.assign(process.env, env);
    t.after(() => {
      for (const name of Object.keys(env)) delete process.env[name];
      Object.assign(process.env, saved);
    });
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    await git(home, "init", "--quiet", folder);
    await git(folder, ...author, "commit", "--quiet", "--allow-empty", "--message", "One");
    spawnSync("chown", ["-R", "1001:1001", folder]);
    const plain = spawnSync("git", ["worktree", "list"], { cwd: folder, encoding: "utf8" });
    assert.match(plain.stderr, /dubious ownership/);
    const again = join(folder, "build", "again");
    await git(folder, "worktree", "add", "--force", "--detach", again, "HEAD");
    await git(folder, "worktree", "remove", "--force", again);
  },
);

test("reproduce: a tarball of another content, name or count is an error", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "phasor-reproduce-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await assert.rejects(tarballIn(folder), /must have one tarball; got 0/);
  await writeFile(join(folder, "a-1.0.0.tgz"), "one");
  const first = await tarballIn(folder);
  mustBeSame(first, await tarballIn(folder));
  await writeFile(join(folder, "a-1.0.0.tgz"), "two");
  const second = await tarballIn(folder);
  assert.throws(
    () => mustBeSame(first, second),
    /must give the same tarball; got\nfirst {2}a-1.0.0.tgz/,
  );
  assert.throws(() => mustBeSame(first, { ...first, name: "a-1.0.1.tgz" }), /a-1.0.1.tgz/);
  await writeFile(join(folder, "b-1.0.0.tgz"), "two");
  await assert.rejects(tarballIn(folder), /got 2/);
});

/** The commands that a workflow runs, in every job of its matrices. @param {string} name */
async function scriptsOf(name) {
  const { jobs } = await workflow(name);
  const lines = Object.values(jobs).flatMap((job) => {
    /** @type {[string, unknown][]} */
    const matrix = Object.entries(job.strategy?.matrix ?? {});
    return matrix.reduce(
      (texts, [key, values]) =>
        [values]
          .flat()
          .flatMap((value) =>
            texts.map((text) => text.replaceAll(`\${{ matrix.${key} }}`, String(value))),
          ),
      commands(job),
    );
  });
  const named = lines.flatMap((line) => line.match(/\bnpm (test|run (x -- )?[\w:-]+)/g) ?? []);
  return new Set(named.map((words) => words.replace(/^npm (run )?(x -- )?/, "")));
}

test("workflows: every test tier runs in a job, and every command exists", async () => {
  const { scripts } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  const [changes, nights] = [await scriptsOf("ci"), await scriptsOf("nightly")];
  for (const name of [...changes, ...nights]) assert.ok(name in scripts || name in known, name);
  const code = await readFile(join(project, "scripts/test/tiers.js"), "utf8");
  const [, list] = /^const ALL = (\[.*\]);$/m.exec(code) ?? [];
  for (const tier of JSON.parse(list)) {
    const name = tier === "unit" ? "test" : `test:${tier}`;
    assert.ok(changes.has(name), name);
  }
  for (const name of ["test:night", "test:matrix", "test:models"])
    assert.ok(nights.has(name), name);
});

test("issue forms: each has a name, a description and fields with labels", async () => {
  const folder = join(project, ".github/ISSUE_TEMPLATE");
  const forms = (await readdir(folder)).filter((file) => file !== "config.yml");
  assert.ok(forms.length > 0);
  for (const file of forms) {
    const { name, description, body } = parse(await readFile(join(folder, file), "utf8"));
    assert.ok(name && description, file);
    const ids = body.map((/** @type {{ id: string }} */ { id }) => id);
    assert.equal(new Set(ids).size, ids.length, file);
    for (const { type, attributes } of body) {
      assert.match(type, /^(input|textarea)$/, file);
      assert.ok(attributes.label, file);
    }
  }
});
