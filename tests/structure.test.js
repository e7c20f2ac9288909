import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { test } from "node:test";
import { kernels } from "../scripts/package/bindings.js";
import { APART, exported, modules as listModules } from "../scripts/package/modules.js";
import { project } from "../scripts/setup/setup.js";
import { cycle, functions, imports as importsOf, outputs } from "./code.js";

/** @param {string} path */
const read = (path) => readFileSync(join(project, path), "utf8");

/** @param {string} folder @returns {string[]} */
function files(folder) {
  if (!existsSync(join(project, folder))) return [];
  return readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(project, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

const modules = listModules();
const source = files("src");

/** @param {string} module @param {string} suffix */
const part = (module, suffix) => `src/${module}/${basename(module)}${suffix}`;

test("structure: CMake's modules are the folders with C++", () => {
  const list = /set\(PHASOR_MODULES([^)]*)\)/.exec(read("CMakeLists.txt"))?.[1] ?? "";
  const withCpp = modules.filter((module) => source.includes(part(module, ".cpp")));
  assert.deepEqual(list.trim().split(/\s+/).sort(), withCpp.sort());
});

test("structure: modules.js of each folder names its modules, and src/index.js each folder that is not apart", () => {
  const wings = [...new Set(modules.map((module) => module.split("/")[0]))];
  const index = read("src/index.js");
  for (const wing of wings) {
    const isWithin = !APART.includes(wing);
    const line = `import * as ${wing} from "./${wing}/modules.js";`;
    assert.equal(index.includes(line), isWithin, wing);
    assert.equal(index.includes(`\n  ...${wing},\n`), isWithin, wing);
    const lines = modules
      .filter((module) => module.startsWith(`${wing}/`))
      .map((module) => [exported(module), `./${part(module, ".js").slice(`src/${wing}/`.length)}`])
      .sort(([, a], [, b]) => (a < b ? -1 : 1));
    const found = read(`src/${wing}/modules.js`).matchAll(/^export \{ (\w+) \} from "([^"]+)";$/gm);
    assert.deepEqual(
      Array.from(found, ([, name, path]) => [name, path]),
      lines,
    );
  }
});

test("structure: every module has its files and its tests, and nothing else", () => {
  for (const module of modules) {
    const parts = source.includes(part(module, ".cpp"))
      ? [".h", ".cpp", ".bind.cpp", ".js"]
      : [".js"];
    for (const suffix of parts)
      assert.ok(source.includes(part(module, suffix)), part(module, suffix));
    for (const suffix of parts.includes(".cpp") ? [".test.cpp", ".test.js"] : [".test.js"]) {
      const path = `tests/unit/${module}${suffix}`;
      assert.ok(existsSync(join(project, path)), path);
    }
    for (const name of readdirSync(join(project, "src", module))) {
      const where = `src/${module}/${name}`;
      assert.match(name, /^[a-z0-9_]+\.(h|cpp|bind\.cpp|about\.js|js)$/, where);
      const [, stem, suffix] = /^(\w+)\.(.+)$/.exec(name) ?? [];
      if (/^(bind\.cpp|about\.js)$/.test(suffix)) assert.equal(stem, basename(module), where);
      if (suffix === "cpp") assert.ok(existsSync(join(project, "src", module, `${stem}.h`)), where);
    }
  }
});

test("structure: tests and scripts have the folders that CONTRIBUTING's map names", () => {
  const folders = (/** @type {string} */ of) =>
    readdirSync(join(project, of), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  const [, map] = /^tests\/([^]+?)^build\//m.exec(read("CONTRIBUTING.md")) ?? [];
  const [ofTests, ofScripts] = String(map).split("\nscripts/");
  const named = (/** @type {string} */ text, /** @type {string} */ of) =>
    folders(of).filter((name) => text.includes(` ${name}/ `));
  assert.deepEqual(named(ofTests, "tests"), ["attacks", "hosts", "pages", "truth", "unit"]);
  assert.deepEqual(named(ofTests, "tests"), folders("tests"));
  assert.deepEqual(named(ofScripts, "scripts"), folders("scripts"));
});

test("structure: no module contains a placeholder", () => {
  for (const path of [...source, ...files("tests")]) {
    if (/^tests\/(structure|unit\/scripts\/new-module)\.test\.js$/.test(path)) continue; // they speak of it
    assert.ok(!/\.(js|cpp|h)$/.test(path) || !/\bFILL IN\b/.test(read(path)), path);
  }
});

/** What a file takes in. @param {string} path */
function includes(path) {
  return [...read(path).matchAll(/^\s*#include\s+[<"]([^>"]+)[>"]/gm)].map(([, name]) => name);
}

test("structure: C++ includes only what its folder may include", () => {
  for (const path of source.filter((path) => /\.(h|cpp)$/.test(path))) {
    const text = read(path);
    // eslint-disable-next-line no-control-regex
    assert.ok(/^[\x00-\x7f]*$/.test(text), `${path} must be ASCII`);
    const isBinding = path.endsWith(".bind.cpp");
    const family = dirname(relative("src", path));
    for (const name of includes(path)) {
      const where = `${path} includes ${name}`;
      assert.ok(path === "src/math/lanes.h" || !/simd128|simde|lanes_scalar/.test(name), where);
      assert.notEqual(name, "iostream", where);
      assert.ok(isBinding || !name.startsWith("emscripten/"), where);
      assert.ok(isBinding || !name.endsWith(".bind.h"), where);
      if (isBinding && name.includes("/") && !name.startsWith("emscripten/")) {
        assert.ok([dirname(name), name].includes(family) || name === "math/heap.bind.h", where);
      }
      if (path.startsWith("src/math/")) {
        assert.ok(!name.includes("/") || /^(math|emscripten|simde)\//.test(name), where);
      }
    }
    const code = text.replace(/\/\/.*$/gm, "");
    assert.ok(!/\bthrow\b/.test(code), `${path} throws`);
    assert.ok(!isBinding || !/\b(for|while|if|switch)\s*\(/.test(code), `${path} decides`);
  }
});

/**
 * Kernels that take more than eight numbers. The smallest calls of `normalize_rows` and those of tables, rotations and
 * lookups take less than a microsecond, of which a block is some percent. One that takes a block leaves the list.
 */
const MANY =
  `embedding_lookup normalize_rows rope_rotate rope_table sinusoidal_table xpos_table`.split(/\s+/);

test("structure: a kernel takes at most eight numbers, or one block", () => {
  const many = kernels().filter(({ numbers }) => numbers > 8);
  assert.deepEqual(many.map(({ name }) => name).sort(), MANY);
});

test("structure: kernels check shapes only where the core does not trust its callers", () => {
  for (const path of source.filter((path) => path.endsWith(".cpp"))) {
    for (const definition of read(path).split(/^}$/m)) {
      const checks = /\bStatus::kBadShape\b/.test(definition);
      assert.ok(!checks || /\bkChecked\b/.test(definition), `${path}:${definition}`);
    }
  }
});

/** @param {string} path */
const imports = (path) => importsOf(read(path));

/** @param {string} path @param {string} name */
const resolved = (path, name) =>
  name.startsWith(".") ? relative(project, join(project, dirname(path), name)) : name;

/** What figures are made with; it is bundled into phasor/plots. */
const drawing = ["d3-scale", "fflate"];

test("structure: JavaScript imports only what its folder may import", () => {
  for (const path of source.filter((path) => path.endsWith(".js"))) {
    for (const name of imports(path)) {
      const to = resolved(path, name);
      const where = `${path} imports ${to}`;
      assert.ok(!to.startsWith("dist") && !to.startsWith("build"), where);
      if (path === "src/index.js" || path === "src/compiled.js") continue;
      if (name.startsWith("phasor-core/")) {
        assert.match(path, /^src\/runtime\/(wasm|binary\.inline)\.js$/, where);
        continue;
      }
      if (path.startsWith("src/plots/") && drawing.includes(name)) continue;
      if (path.startsWith("src/cli/")) {
        // The command line runs in Node alone. The tokenizer and the SDK are optional peers.
        const outside = /^(node:|@huggingface\/tokenizers$|@modelcontextprotocol\/sdk\/)/.test(
          name,
        );
        assert.ok(
          outside ||
            /^src\/(cli|files|models|oracle|plots|runtime)\/|^src\/(index|lab\/(index|pytorch)|positional\/about)\.js$/.test(
              to,
            ),
          where,
        );
        continue;
      }
      assert.ok(name.startsWith("."), where);
      if (path.startsWith("src/runtime/")) assert.ok(to.startsWith("src/runtime/"), where);
      else if (path.startsWith("src/plots/")) {
        assert.match(to, /^src\/(plots\/|runtime\/(arrays|check|input|named)\.js$)/, where); // neither wasm nor modules
      } else if (path.startsWith("src/worker/")) {
        // The thread has the modules; the page that calls it must not bundle them.
        const thread = path === "src/worker/thread.js" && to === "src/index.js";
        assert.ok(
          thread ||
            /^src\/(worker|positional\/about\.js$|runtime\/(arrays|builtin|check|errors|ids|input|lifetime|named|packed|tensor|threads)\.js$)/.test(
              to,
            ),
          where,
        );
      } else if (path.startsWith("src/files/")) assert.match(to, /^src\/(files|runtime)\//, where);
      else if (path.startsWith("src/models/open/")) {
        // Callers pass a phasor; the package's own is the default.
        const own = path === "src/models/open/index.js" && to === "src/index.js";
        assert.ok(own || /^src\/(files|models|runtime)\//.test(to), where);
      } else if (path.startsWith("src/oracle/")) {
        // As src/models/open: an entry of each of its folders loads the package where none is passed.
        const own = path.endsWith("/index.js") && to === "src/index.js";
        assert.ok(own || /^src\/(files|models|oracle|runtime)\//.test(to), where);
      } else if (/^src\/models\/[^/]+$/.test(path)) {
        assert.match(to, /^src\/(models|runtime)\/|^src\/positional\/about\.js$/, where);
      } else if (path.startsWith("src/python/")) {
        // One script of all that Python calls.
        assert.match(
          to,
          /^src\/(index|(lab|models|plots|oracle(\/xray)?)\/index|cli\/(check|port)|widget\/drawing)\.js$/,
          where,
        );
      } else if (path.startsWith("src/widget/")) {
        assert.match(
          to,
          /^src\/(index\.js$|positional\/about\.js$|(widget|plots)\/|runtime\/(arrays|check|input|named|options|schemes|tensor)\.js$)/,
          where,
        );
      } else
        assert.match(
          to,
          /^src\/(runtime|embedding|positional|attention|analysis|training|ngrams|lab|models\/input_embeddings)\//,
          where,
        );
    }
    const code = read(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    if (
      !/^src\/(runtime\/(wasm|binary\.\w+)|worker\/home|lab\/experiment\/home|cli\/(guide|index))\.js$/.test(
        path,
      )
    ) {
      assert.ok(!/import\.meta|WebAssembly\.(instantiate|compile|Module)\b/.test(code), path);
    }
    // Figures and widgets draw in a document that they are given.
    const page = /^src\/(plots|widget)\//.test(path)
      ? /\b(window|localStorage)\b\s*(\.\w|[[(])/
      : /\b(document|window|localStorage)\b\s*(\.\w|[[(])/;
    assert.ok(!page.test(code), path);
  }
});

/** The folder of a path that must not be on a circle: src/models, web/home, scripts. @param {string} path */
function folderOf(path) {
  const [top, next, more] = path.split("/");
  return more === undefined || !["src", "web"].includes(top) ? top : `${top}/${next}`;
}

test("structure: a result becomes a tensor by done() alone, which rounds where the caller's array is narrow", () => {
  const modulesOf = /^src\/(embedding|positional|attention|analysis|training|ngrams|lab)\/.*\.js$/;
  const templates = files("scripts/new-module/templates").filter((path) =>
    path.endsWith("module.js"),
  );
  const all = [...source.filter((path) => modulesOf.test(path)), ...templates].map((path) =>
    outputs(path, read(path)).map(({ line, fault }) => ({ where: `${path}:${line}`, fault })),
  );
  assert.ok(all.flat().length > 50, "results are made by output and outputInt32");
  const faults = all.flat().filter(({ fault }) => fault);
  assert.deepEqual(faults, []);
});

test("structure: results that are not made by done() are found", () => {
  const faultOf = (/** @type {string} */ code) =>
    outputs("a.js", `function f(out) { ${code} }`)[0].fault;
  assert.equal(faultOf("const y = output(out, [2]); fill(y.data); return y.done();"), undefined);
  assert.equal(faultOf("const y = output(out, [2]); return { y };"), undefined);
  assert.equal(faultOf("return outputInt32(out, [2]).done();"), undefined);
  assert.match(String(faultOf("const y = output(out, [2]); fill(y.data);")), /never done/);
  assert.match(String(faultOf("const { data } = output(out, [2]); return data;")), /no name/);
  const made = "const y = output(out, [2]); y.done(); return new Tensor(y.data, [2]);";
  assert.match(String(faultOf(made)), /new Tensor/);
  assert.match(
    String(faultOf("const y = output(out, [2]); y.done(); new Tensor(out.data, [2]);")),
    /new Tensor/,
  );
});

test("structure: folders import in one direction", () => {
  /** @type {Map<string, Set<string>>} */
  const edges = new Map();
  for (const path of [...source, ...files("web"), ...files("scripts")]) {
    if (!path.endsWith(".js")) continue;
    for (const name of imports(path)) {
      const [from, to] = [folderOf(path), folderOf(resolved(path, name))];
      // src/index.js is the package itself: phasor/open, the widget and the worker use it as anyone does.
      if (!name.startsWith(".") || from === to || to === "src") continue;
      edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
  }
  assert.equal(cycle(edges)?.join(" -> "), undefined);
});

/**
 * Functions that have more than 80 lines with those that they declare, and how many they may have: as many as when
 * this was first counted. A cut one leaves the list.
 */
const LONG = {
  "src/attention/attention/attention.js attention": 149,
  "src/attention/attention/tiles.js tiles": 100,
  "src/embedding/embedding_bag/embedding_bag.js layer": 121,
  "src/embedding/embedding_bag/embedding_bag.js embeddingBag": 138,
  "src/files/remote/get.js get": 96,
  "src/plots/scatter/chart.js chart": 137,
  "src/positional/absolute/fourier_features/fourier_features.js fourierFeatures": 135,
  "src/positional/bias/alibi/alibi.js alibi": 94,
  "src/positional/bias/window_bias/window_bias.js windowBias": 114,
  "src/positional/ids/position_ids/position_ids.js positionIds": 105,
  "src/positional/rotary/axial_rope/axial_rope.js axialRope": 95,
  "src/training/skipgram/skipgram.js model": 101,
  "src/training/skipgram/skipgram.js skipgram": 116,
  "web/app/questions/draw.js drawing": 142,
  "web/app/questions/questions.js question": 114,
  "web/frame/frame.js an anonymous function": 120,
};

test("structure: no function has more than 80 lines of code, those that it declares included", () => {
  const own = files("scripts").filter((path) => !path.includes("node_modules")); // the bench installs others
  const paths = [...source, ...files("web"), ...own].filter((path) => path.endsWith(".js"));
  const all = paths.flatMap((path) =>
    functions(path, read(path)).map(({ name, ...each }) => ({ where: `${path} ${name}`, ...each })),
  );
  /** @type {Record<string, number>} */
  const most = LONG;
  const long = all
    .filter(({ where, lines, all }) => lines > 80 || all > (most[where] ?? 80))
    .map(
      ({ where, line, lines, all }) =>
        `${where}, line ${line}: ${lines} without inner functions, ${all} with them`,
    );
  assert.deepEqual(long, []);
  const isLong = (/** @type {string} */ name) =>
    all.some(({ where, all }) => where === name && all > 80);
  const cut = Object.keys(LONG).filter((name) => !isLong(name));
  assert.deepEqual(cut, [], "functions that are shorter now");
});

test("structure: lines that count are those with more than comments", () => {
  const code = "function f() {\n//\n\n/*\n*/\n`//\n\n/*`; //\nreturn /[/*]/;\n}";
  assert.deepEqual(functions("a.js", code), [{ name: "f", line: 1, lines: 6, all: 6 }]);
});

test("structure: results use no math functions that differ between engines", () => {
  // Math.sqrt, rounding and comparisons are exact; sines, logarithms and powers are each engine's own.
  const own =
    /Math\.(a?(sin|cos|tan)h?|atan2|cbrt|exp|expm1|hypot|log|log10|log1p|log2|pow|random)\b/;
  for (const path of source.filter((path) => path.endsWith(".js"))) {
    // Measurements, which are given to fewer digits than engines differ in.
    if (/^src\/oracle\/(identify\/(measure|spectrum)|kinds\/(fits|waves))\.js$/.test(path)) continue; // prettier-ignore
    const code = read(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    assert.ok(!own.test(code), `${path} uses ${own.exec(code)?.[0]}`);
  }
  for (const path of source.filter((path) => /\.(h|cpp)$/.test(path))) {
    const code = read(path).replace(/\/\/.*$/gm, "");
    const libm =
      /std::(a?(sin|cos|tan)h?|atan2|cbrt|exp|exp2|expm1|hypot|log|log10|log1p|log2|pow|fma)\(/;
    assert.ok(!libm.test(code), `${path} uses ${libm.exec(code)?.[0]}`);
  }
});

test("structure: the page imports the package by name, what schemes declare, and a program's text", () => {
  assert.deepEqual(imports(PROGRAM), [], PROGRAM);
  for (const path of files("web").filter((path) => path.endsWith(".js"))) {
    for (const name of imports(path)) {
      const to = resolved(path, name);
      const isText = to === DECLARATIONS || to === PROGRAM;
      assert.ok(!to.startsWith("src/") || isText, `${path} imports ${name}`);
    }
  }
});

/** What writes a training of the lab for PyTorch: the page and the command line share it, and no entry has it. */
const PROGRAM = "src/lab/pytorch.js";

/** The list of what schemes declare. */
const DECLARATIONS = "src/positional/about.js";

test("structure: a declaration imports nothing, runs nothing, and only the list imports it", () => {
  const declarations = source.filter((path) => path.endsWith(".about.js"));
  assert.ok(declarations.length > 0);
  for (const path of declarations) {
    assert.deepEqual(imports(path), [], path);
    const code = read(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    const statements = code.match(/^[^\s})\]].*/gm) ?? [];
    for (const statement of statements) {
      assert.match(
        statement,
        /^(export )?const \w+ = ([[{"]|\(.*=>|.*;$)/,
        `${path}: ${statement}`,
      );
    }
  }
  const paths = [...source, ...files("web"), ...files("tests"), ...files("scripts")];
  for (const path of paths.filter((path) => path.endsWith(".js") && path !== DECLARATIONS)) {
    for (const name of imports(path)) assert.ok(!name.endsWith(".about.js"), `${path}: ${name}`);
  }
  const listed = imports(DECLARATIONS).map((name) => resolved(DECLARATIONS, name));
  assert.deepEqual(listed.sort(), declarations.sort());
});

test("structure: Status and its messages agree", () => {
  const statuses = [...read("src/math/status.h").matchAll(/k(\w+) = (\d+),/g)];
  const words = /STATUS = Object\.freeze\(\[([^\]]*)\]\)/.exec(read("src/runtime/errors.js"))?.[1];
  const list = words?.match(/"[^"]*"/g)?.map((word) => JSON.parse(word)) ?? [];
  assert.equal(list.length, statuses.length);
  const expected = /** @type {Record<string, string>} */ ({
    Ok: "ok",
    BadShape: "bad shape",
    BadParam: "bad parameter",
    BadIndex: "bad index",
  });
  for (const [, name, number] of statuses) assert.equal(list[Number(number)], expected[name]);
});

/** Lines of source text that a folder may have. Raising a budget is a separate commit that says why. */
const LINES = { src: 83_440, web: 63_570, tests: 115_340, scripts: 16_440 };

test("structure: no folder has more lines than its budget, or far fewer", () => {
  const counted = Object.entries(LINES).map(([folder, budget]) => {
    const texts = files(folder)
      .filter((path) => /\.(js|cpp|h|py|ts|css|html|md)$/.test(path))
      .filter((path) => !path.includes("node_modules") && path !== "src/runtime/bindings.d.ts")
      .map(read);
    const lines = texts.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
    return { folder, lines, budget };
  });
  const wrong = counted.filter(({ lines, budget }) => lines > budget || lines < budget - 1000);
  assert.deepEqual(wrong, []);
});

test("structure: the top level contains only the listed names", () => {
  const allowed = new Set(
    `src web tests scripts CMakeLists.txt package.json package-lock.json README.md LICENSE CHANGELOG.md
     CONTRIBUTING.md SECURITY.md tsconfig.json tsconfig.types.json eslint.config.js build dist docs llms.txt node_modules`.split(
      /\s+/,
    ),
  );
  const here = readdirSync(project).filter((name) => !name.startsWith("."));
  assert.deepEqual(
    here.filter((name) => !allowed.has(name) && !name.endsWith(".tgz")),
    [],
  );
});
