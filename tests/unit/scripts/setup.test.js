import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import {
  binaryenToMend,
  compareVersions,
  complaints,
  debianSource,
  pinFile,
  plan,
  refusal,
  sourceFile,
} from "../../../scripts/setup/toolchain.js";
import { CommandError, run } from "../../../scripts/setup/run.js";
import { interpreterOf } from "../../../scripts/setup/setup.js";

const folders = mkdtempSync(join(tmpdir(), "phasor-setup-"));
after(() => rmSync(folders, { recursive: true }));

/**
 * A made-up machine: what lies where, and what each file prints as its version.
 *
 * @param {Record<string, string>} files contents by path; "-> x" makes a link
 * @param {Partial<import("../../../scripts/setup/toolchain.js").Host>} [rest]
 * @param {Record<string, string>} [versions]
 * @returns {import("../../../scripts/setup/toolchain.js").Host}
 */
function machine(files, rest = {}, versions = {}) {
  const root = mkdtempSync(join(folders, "machine-"));
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (content.startsWith("-> ")) symlinkSync(content.slice(3), file);
    else writeFileSync(file, content);
  }
  return {
    root,
    path: ["/usr/local/bin", "/usr/bin"],
    env: {},
    platform: "linux",
    uid: 0,
    project: "/home/ada/phasor",
    version: (file) => versions[file] ?? "",
    ...rest,
  };
}

const debian12 = {
  "/etc/os-release": 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
  "/usr/bin/apt-get": "",
};
const debian13 = { ...debian12, "/etc/os-release": 'ID=debian\nVERSION_ID="13"\n' };
const testing = { ...debian12, "/etc/os-release": "ID=debian\nVERSION_CODENAME=forky\n" };
const ubuntu = (/** @type {string} */ version) => ({
  ...debian12,
  "/etc/os-release": `ID=ubuntu\nID_LIKE=debian\nVERSION_ID="${version}"\n`,
});

const buildTools = { "/usr/bin/cmake": "", "/usr/bin/ninja": "" };
const nativeTools = {
  ...buildTools,
  "/usr/bin/g++": "",
  "/usr/include/simde/wasm/simd128.h": "",
  "/usr/include/doctest/doctest.h": "",
};
const emsdkTools = { "/usr/bin/git": "", "/usr/bin/python3": "" };

/** @param {string} version @param {string} [folder] */
const emscripten = (version, folder = "/usr/local/bin") => ({
  [`${folder}/emcc`]: "",
  [`${folder}/emscripten-version.txt`]: `${version}\n`,
});

/** Debian's layout: a link on PATH, the rest in a separate folder. @param {string} version */
const debianEmscripten = (version) => ({
  ...emscripten(version, "/usr/share/emscripten"),
  "/usr/bin/emcc": "-> ../share/emscripten/emcc",
  "/usr/share/emscripten/.emscripten": "LLVM_ROOT = '/usr/bin'\nBINARYEN_ROOT = '/usr' # folder\n",
  "/usr/share/emscripten/tools/building.py": "EXPECTED_BINARYEN_VERSION = 120\n",
  "/usr/bin/wasm-opt": "",
});

describe("which Emscripten", () => {
  test("an emcc on PATH that is new enough is used", () => {
    const made = plan(machine({ ...buildTools, ...emscripten("3.1.69") }), ["emscripten"]);
    assert.equal(made.emscripten?.emcc, "/usr/local/bin/emcc");
    assert.equal(made.emscripten?.version, "3.1.69");
    assert.equal(made.emscripten?.from, "PATH");
    assert.deepEqual([made.apt, made.emsdk, made.ask], [[], false, null]);
  });

  test("the version is read next to the target of a link on PATH", () => {
    const made = plan(machine({ ...buildTools, ...debianEmscripten("3.1.74") }), ["emscripten"]);
    assert.equal(made.emscripten?.emcc, "/usr/bin/emcc");
    assert.equal(made.emscripten?.version, "3.1.74");
    assert.equal(made.emscripten?.folder, "/usr/share/emscripten");
  });

  test("a wrapper outside of its Emscripten is run to get its version", () => {
    const printed = "emcc (Emscripten gcc/clang-like replacement) 6.0.5 (abcdef)\n";
    const host = machine({ ...buildTools, "/usr/bin/emcc": "" }, {}, { "/usr/bin/emcc": printed });
    const made = plan(host, ["emscripten"]);
    assert.equal(made.emscripten?.version, "6.0.5");
    assert.equal(made.emscripten?.folder, null);
  });

  test("an emcc that is too old is skipped for a newer one further on PATH", () => {
    const host = machine({ ...buildTools, ...emscripten("3.1.6"), ...debianEmscripten("3.1.69") });
    assert.equal(plan(host, ["emscripten"]).emscripten?.emcc, "/usr/bin/emcc");
  });

  test("an emcc that is too old is skipped for $EMSDK", () => {
    const sdk = emscripten("6.0.5", "/opt/emsdk/upstream/emscripten");
    const host = machine(
      { ...buildTools, ...emscripten("3.1.68"), ...sdk },
      { env: { EMSDK: "/opt/emsdk" } },
    );
    const { emscripten: chosen } = plan(host, ["emscripten"]);
    assert.equal(chosen?.emcc, "/opt/emsdk/upstream/emscripten/emcc");
    assert.equal(chosen?.from, "EMSDK");
  });

  test("an emcc on PATH comes before $EMSDK", () => {
    const sdk = emscripten("6.0.5", "/opt/emsdk/upstream/emscripten");
    const host = machine(
      { ...buildTools, ...emscripten("4.0.0"), ...sdk },
      { env: { EMSDK: "/opt/emsdk" } },
    );
    assert.equal(plan(host, ["emscripten"]).emscripten?.version, "4.0.0");
  });

  test("an emsdk that was installed below build/ is found again", () => {
    const own = emscripten("6.0.5", "/home/ada/phasor/build/emsdk/upstream/emscripten");
    const made = plan(machine({ ...buildTools, ...own }), ["emscripten"]);
    assert.equal(made.emscripten?.from, "build/emsdk");
    assert.equal(made.emsdk, false);
  });

  test("Debian 12 with root uses trixie's package", () => {
    const made = plan(machine({ ...debian12, ...buildTools }), ["emscripten"]);
    assert.deepEqual(made.apt, ["emscripten/trixie"]);
    assert.equal(made.suite, "trixie");
    assert.deepEqual([made.emsdk, made.ask], [false, null]);
  });

  test("Debian 12 with its own old emscripten reports it and uses trixie's", () => {
    const made = plan(machine({ ...debian12, ...buildTools, ...debianEmscripten("3.1.6") }), [
      "emscripten",
    ]);
    assert.deepEqual(made.apt, ["emscripten/trixie"]);
    assert.deepEqual(made.notes, [
      "/usr/bin/emcc is Emscripten 3.1.6, older than 3.1.69, and is passed over.",
    ]);
  });

  for (const [name, files] of Object.entries({
    "Debian 13": debian13,
    "Debian testing": testing,
    "Ubuntu 25.04": ubuntu("25.04"),
  })) {
    test(`${name} with root uses its own package`, () => {
      const made = plan(machine({ ...files, ...buildTools }), ["emscripten"]);
      assert.deepEqual(made.apt, ["emscripten"]);
      assert.equal(made.suite, null);
    });
  }

  test("Ubuntu 24.04 with root, whose package is too old, uses emsdk and its dependencies", () => {
    const made = plan(machine({ ...ubuntu("24.04"), ...buildTools }), ["emscripten"]);
    assert.deepEqual(made.apt, ["ca-certificates", "git", "python3"]);
    assert.equal(made.emsdk, true);
  });

  test("Debian without root uses emsdk if git and Python are installed", () => {
    const host = machine({ ...debian12, ...buildTools, ...emsdkTools }, { uid: 1000 });
    const made = plan(host, ["emscripten"]);
    assert.deepEqual([made.apt, made.emsdk, made.ask], [[], true, null]);
  });

  test("macOS uses emsdk", () => {
    const host = machine({ ...buildTools, ...emsdkTools }, { uid: 501, platform: "darwin" });
    const made = plan(host, ["emscripten"]);
    assert.deepEqual([made.apt, made.emsdk, made.ask], [[], true, null]);
  });

  test("root on a Debian without apt-get uses emsdk", () => {
    const files = { "/etc/os-release": debian12["/etc/os-release"], ...buildTools, ...emsdkTools };
    const made = plan(machine(files), ["emscripten"]);
    assert.deepEqual([made.apt, made.emsdk, made.ask], [[], true, null]);
  });
});

describe("other requirements", () => {
  test("a machine that has everything needs nothing", () => {
    const host = machine(
      {
        ...debian12,
        ...nativeTools,
        ...debianEmscripten("3.1.69"),
        "/usr/bin/clang-format-19": "",
        "/usr/bin/chromium": "",
        "/usr/bin/firefox-esr": "",
      },
      {},
      { "/usr/bin/clang-format-19": "Debian clang-format version 19.1.7" },
    );
    const made = plan(host, ["emscripten", "native", "format", "browser", "firefox"]);
    assert.deepEqual([made.apt, made.emsdk, made.ask], [[], false, null]);
    assert.deepEqual(made.found, {
      cmake: "/usr/bin/cmake",
      make: "/usr/bin/ninja",
      cxx: "/usr/bin/g++",
      simde: "/usr/include",
      doctest: "/usr/include",
      clangFormat: "/usr/bin/clang-format-19",
      chromium: "/usr/bin/chromium",
      firefox: "/usr/bin/firefox-esr",
    });
  });

  test("a bare Debian 12 with root installs everything from packages", () => {
    const wants = /** @type {const} */ (["emscripten", "native", "format", "browser", "firefox"]);
    const made = plan(machine(debian12), [...wants]);
    assert.deepEqual(made.apt, [
      "emscripten/trixie",
      "cmake",
      "ninja-build",
      "g++",
      "libsimde-dev",
      "doctest-dev",
      "clang-format-19",
      "chromium-headless-shell",
      "firefox-esr",
    ]);
    assert.deepEqual([made.emsdk, made.ask], [false, null]);
  });

  test("only what is requested is installed", () => {
    assert.deepEqual(plan(machine(debian12), ["browser"]).apt, ["chromium-headless-shell"]);
    assert.deepEqual(plan(machine(debian12), ["packages"]).apt, []);
  });

  test("any Firefox on PATH is used, and its standard location is known on macOS", () => {
    const onPath = plan(machine({ ...debian12, "/usr/local/bin/firefox": "" }), ["firefox"]);
    assert.equal(onPath.found.firefox, "/usr/local/bin/firefox");
    const app = "/Applications/Firefox.app/Contents/MacOS/firefox";
    const mac = plan(machine({ [app]: "" }, { platform: "darwin", uid: 501 }), ["firefox"]);
    assert.equal(mac.found.firefox, app);
    assert.deepEqual([onPath.apt, onPath.ask, mac.ask], [[], null, null]);
  });

  test("make is used if there is no Ninja", () => {
    const host = machine({ "/usr/bin/cmake": "", "/usr/bin/make": "", ...emscripten("6.0.5") });
    assert.equal(plan(host, ["emscripten"]).found.make, "/usr/bin/make");
  });

  test("a clang-format of another version is skipped, since it formats differently", () => {
    const host = machine(
      { ...debian12, "/usr/bin/clang-format": "" },
      {},
      { "/usr/bin/clang-format": "clang-format version 14.0.6" },
    );
    assert.deepEqual(plan(host, ["format"]).apt, ["clang-format-19"]);
  });

  test("headers are also found in Homebrew's folder and in CPATH", () => {
    const files = {
      "/usr/bin/cmake": "",
      "/usr/bin/ninja": "",
      "/usr/bin/g++": "",
      "/opt/homebrew/include/simde/wasm/simd128.h": "",
      "/opt/headers/doctest/doctest.h": "",
    };
    const rest = { uid: 501, env: { CPATH: "/opt/headers" } };
    const made = plan(machine(files, { ...rest, platform: "darwin" }), ["native"]);
    assert.equal(made.found.simde, "/opt/homebrew/include");
    assert.equal(made.found.doctest, "/opt/headers");
    assert.equal(made.ask, null);
  });

  test("Chrome's standard location is known on macOS", () => {
    const chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    const made = plan(machine({ [chrome]: "" }, { platform: "darwin", uid: 501 }), ["browser"]);
    assert.equal(made.found.chromium, chrome);
  });
});

describe("instructions to the user", () => {
  test("Debian without root names the packages", () => {
    const made = plan(machine(debian12, { uid: 1000 }), ["emscripten", "native"]);
    assert.equal(
      made.ask,
      "Install CMake, Ninja or make, a C++20 compiler (g++), the SIMDe headers, the doctest header, " +
        "git and Python 3 (sudo apt-get install -y cmake ninja-build g++ libsimde-dev doctest-dev " +
        "git python3), then run this again.",
    );
    assert.deepEqual(made.apt, []);
  });

  test("macOS names Homebrew's formulas", () => {
    const host = machine({ ...emsdkTools }, { uid: 501, platform: "darwin" });
    assert.equal(
      plan(host, ["emscripten", "browser"]).ask,
      "Install CMake, Ninja or make and Chromium (brew install cmake ninja chromium), then run this " +
        "again.",
    );
  });

  test("another Linux names the tools", () => {
    const host = machine({ "/etc/os-release": "ID=fedora\n", ...buildTools });
    assert.equal(plan(host, ["emscripten"]).ask, "Install git and Python 3, then run this again.");
  });

  test("Ubuntu's browser packages, which only refer to snaps, are not installed", () => {
    const made = plan(machine(ubuntu("24.04")), ["browser", "firefox"]);
    assert.equal(
      made.ask,
      "Install Chromium or Google Chrome and Firefox so that they are on PATH, then run this again.",
    );
    assert.deepEqual(made.apt, []);
    const onlyFirefox = machine({ ...ubuntu("24.04"), "/usr/bin/chromium": "" });
    assert.equal(
      plan(onlyFirefox, ["browser", "firefox"]).ask,
      "Install Firefox so that it is on PATH, then run this again.",
    );
  });

  test("Firefox is requested by name if it cannot be installed automatically", () => {
    assert.equal(
      plan(machine(debian12, { uid: 1000 }), ["firefox"]).ask,
      "Install Firefox (sudo apt-get install -y firefox-esr), then run this again.",
    );
    assert.equal(
      plan(machine({ "/etc/os-release": "ID=fedora\n" }), ["firefox"]).ask,
      "Install Firefox, then run this again.",
    );
  });

  test("Windows users are told to use WSL", () => {
    const made = plan(machine({}, { platform: "win32", uid: -1 }), ["emscripten"]);
    assert.equal(
      made.ask,
      "phasor is built on Linux or macOS; on Windows, run this inside WSL with Debian.",
    );
  });

  test("a second Debian in a folder requires Debian and root", () => {
    const sentence = "A second Debian in a folder can only be made on Debian, as root.";
    assert.equal(plan(machine(debian12, { uid: 1000 }), ["chroot"]).ask, sentence);
    assert.equal(plan(machine({}, { platform: "darwin" }), ["chroot"]).ask, sentence);
    assert.equal(plan(machine(ubuntu("25.04")), ["chroot"]).ask, sentence);
    assert.deepEqual(plan(machine(debian12), ["chroot"]).apt, ["debootstrap"]);
  });
});

describe("replacing an old binaryen", () => {
  /**
   * @param {string} wasmOpt its version
   * @param {NodeJS.ProcessEnv} [env]
   */
  const mendOf = (wasmOpt, env = {}) => {
    const versions = { "/usr/bin/wasm-opt": `wasm-opt version ${wasmOpt}` };
    const host = machine({ ...buildTools, ...debianEmscripten("3.1.69") }, { env }, versions);
    const { emscripten: chosen } = plan(host, ["emscripten"]);
    assert.ok(chosen);
    return binaryenToMend(host, chosen);
  };

  test("an older suite's binaryen is replaced", () => {
    assert.deepEqual(mendOf("108"), { version: 120, system: "/usr/bin" });
  });

  test("the expected binaryen and the one after it are left alone", () => {
    assert.equal(mendOf("120"), null);
    assert.equal(mendOf("121 (version_121)"), null);
  });

  test("a user's EM_BINARYEN_ROOT is left alone, and phasor's is not mistaken for one", () => {
    assert.equal(mendOf("108", { EM_BINARYEN_ROOT: "/opt/binaryen" }), null);
    assert.ok(mendOf("108", { EM_BINARYEN_ROOT: "/home/ada/phasor/build/binaryen" }));
  });

  test("npm's wasm-opt on PATH does not hide the one that Emscripten would use", () => {
    const host = machine(
      { ...buildTools, ...debianEmscripten("3.1.69"), "/npm/.bin/wasm-opt": "" },
      { path: ["/npm/.bin", "/usr/bin"] },
      { "/npm/.bin/wasm-opt": "wasm-opt version 120", "/usr/bin/wasm-opt": "wasm-opt version 108" },
    );
    const { emscripten: chosen } = plan(host, ["emscripten"]);
    assert.ok(chosen && binaryenToMend(host, chosen));
  });

  test("an emsdk and a wrapper bring their own", () => {
    const host = machine({
      ...emscripten("6.0.5", "/opt/emsdk/upstream/emscripten"),
      "/opt/emsdk/.emscripten": "BINARYEN_ROOT = emsdk_path + '/upstream'\n",
      "/opt/emsdk/upstream/emscripten/tools/building.py": "EXPECTED_BINARYEN_VERSION = 131\n",
    });
    const found = { emcc: "emcc", version: "6.0.5", from: "EMSDK" };
    assert.equal(
      binaryenToMend(host, { ...found, folder: "/opt/emsdk/upstream/emscripten" }),
      null,
    );
    assert.equal(binaryenToMend(host, { ...found, folder: null }), null);
  });
});

describe("output that fails a build", () => {
  test("complaints returns warnings and errors of every tool", () => {
    const lines = [
      "em++: warning: unexpected binaryen version: 108 (expected 120) [-Wversion-check]",
      "src/math/phase.cpp:12:7: warning: unused variable 'x' [-Wunused-variable]",
      "wasm-ld: warning: function signature mismatch: f",
      "warning: undefined symbol: g (referenced by root reference)",
      "em++: error: 'wasm-opt b.wasm' failed (returned 1)",
    ];
    assert.deepEqual(complaints(lines.join("\n")), lines);
  });

  test("complaints ignores metadata, progress and the build tools' own remarks", () => {
    const quiet = [
      "{",
      '  "declares": [',
      '    "emscripten_warning: x",',
      "  ],",
      "}",
      "cache:INFO: generating system library: libc.a... (this will be cached)",
      "[3/9] Building CXX object warning.o",
      "ninja: warning: premature end of file; recovering",
      "make[1]: warning: Clock skew detected.",
      "",
    ];
    assert.deepEqual(complaints(quiet.join("\n")), []);
  });
});

describe("apt", () => {
  const key = "/usr/share/keyrings/debian-archive-keyring.gpg";
  const stanzas = `
Types: deb
# a comment
URIs: http://mirror.example/security
Suites: bookworm-security
Components: main

Types: deb
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: ${key}
`;

  test("debianSource reads the address and the key of the machine's own suite", () => {
    const own = { uri: "http://mirror.example/debian", signedBy: key };
    assert.deepEqual(debianSource(["", stanzas], "bookworm"), own);
    assert.equal(debianSource([stanzas], "trixie"), null);
  });

  test("debianSource reads the one-line format", () => {
    const lines = [
      "# deb http://old.example/debian bookworm main",
      "deb cdrom:[Debian]/ bookworm main",
      "deb-src http://mirror.example/debian bookworm main",
      `deb [arch=amd64 signed-by=${key}] http://mirror.example/debian bookworm main contrib`,
    ];
    const own = { uri: "http://mirror.example/debian", signedBy: key };
    assert.deepEqual(debianSource([lines.join("\n")], "bookworm"), own);
    const bare = debianSource(["deb http://mirror.example/debian bookworm main"], "bookworm");
    assert.deepEqual(bare, { ...own, signedBy: null });
  });

  test("debianSource skips a disabled source", () => {
    assert.equal(
      debianSource([stanzas.replaceAll("Types:", "Enabled: no\nTypes:")], "bookworm"),
      null,
    );
  });

  test("sourceFile keeps a key that is written out", () => {
    const block =
      "\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc=\n -----END PGP PUBLIC KEY BLOCK-----";
    const text = `Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\nSigned-By:${block}\n`;
    const own = debianSource([text], "bookworm");
    assert.ok(own);
    assert.equal(
      sourceFile(own, "trixie"),
      "Types: deb\nURIs: http://mirror.example/debian\nSuites: trixie\nComponents: main\n" +
        `Signed-By:${block}\n`,
    );
  });

  test("pinFile gives the other suite a lower priority than everything installed", () => {
    assert.equal(pinFile("trixie"), "Package: *\nPin: release n=trixie\nPin-Priority: 100\n");
  });

  test("refusal stops an installation that would replace or remove libc6", () => {
    assert.equal(
      refusal("Inst libc6 [2.36-9+deb12u14] (2.41-12 Debian:13/stable [amd64])\n"),
      "apt would replace libc6 2.36-9+deb12u14 by 2.41-12; nothing was installed.",
    );
    assert.equal(
      refusal("Remv libc6 [2.36-9+deb12u14]\n"),
      "apt would remove libc6; nothing was installed.",
    );
  });

  test("refusal allows an update of libc6 within its release", () => {
    const update = "Inst libc6 [2.36-9+deb12u4] (2.36-9+deb12u14 Debian:12.13/oldstable [amd64])\n";
    assert.equal(refusal(`${update}Inst libc6-dev (2.36-9+deb12u14 Debian:12.13 [amd64])\n`), null);
    assert.equal(refusal("Inst emscripten (3.1.69 Debian:13/stable [all])\n"), null);
  });
});

describe("run", () => {
  test("run returns what a captured command printed", async () => {
    const script = 'console.log("out"); console.error(process.env.WORD)';
    const { stdout, stderr } = await run(process.execPath, ["-e", script], {
      capture: true,
      env: { WORD: "err" },
    });
    assert.deepEqual([stdout, stderr], ["out\n", "err\n"]);
  });

  test("run fails with one sentence and keeps the output", async () => {
    const script = 'console.log("so far"); process.exit(3)';
    await assert.rejects(run(process.execPath, ["-e", script], { capture: true }), (error) => {
      assert.ok(error instanceof CommandError);
      assert.match(error.message, /-e console\.log.* ended with exit code 3\.$/);
      assert.deepEqual([error.exitCode, error.stdout], [3, "so far\n"]);
      return true;
    });
  });

  test("run says which command is missing and what cannot be started", async () => {
    await assert.rejects(run("no-such-command", ["x"], { capture: true }), {
      message: "no-such-command x could not start: there is no such command.",
    });
    const file = join(folders, "not-executable");
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    await assert.rejects(run(file, [], { capture: true }), /could not start: /);
  });
});

test("interpreterOf asks a version manager's script once for what it starts", () => {
  const script = (/** @type {string} */ name, /** @type {string} */ text) => {
    const file = join(folders, name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
  };
  assert.equal(
    interpreterOf(script("shim", "echo /opt/python/bin/python3")),
    "/opt/python/bin/python3",
  );
  const broken = script("broken", "echo no version is set; exit 127");
  assert.equal(interpreterOf(broken), broken);
  assert.equal(interpreterOf(process.execPath), process.execPath);
});

test("compareVersions compares numbers, not text", () => {
  assert.ok(compareVersions("3.1.6", "3.1.69") < 0);
  assert.ok(compareVersions("3.1.100", "3.1.69") > 0);
  assert.ok(compareVersions("6.0.0", "3.1.69") > 0);
  assert.equal(compareVersions("3.1.69", "3.1.69"), 0);
});
