// Decides which tools a machine has, which it lacks, and how it gets them. Decisions only: nothing
// here runs a command or changes a file, so every branch is tested on a made-up folder.

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The properties of a machine on which the decisions depend.
 *
 * @typedef {object} Host
 * @property {string} root the folder that stands for "/"
 * @property {string[]} path the folders of PATH, as that machine names them
 * @property {NodeJS.ProcessEnv} env
 * @property {NodeJS.Platform} platform
 * @property {number} uid 0 for root
 * @property {string} project the repository's folder
 * @property {(file: string) => string} version what `file --version` prints, "" if it fails
 */

/** @typedef {"packages" | "emscripten" | "native" | "format" | "browser" | "firefox" | "python" | "chroot"} Want */

/**
 * An Emscripten that can be used. `folder` is where its own files lie; unknown behind a wrapper.
 *
 * @typedef {{ emcc: string, version: string, from: string, folder: string | null }} Emscripten
 */

/**
 * The steps that install the requested tools. If `ask` is set, the user must act first.
 *
 * @typedef {object} Plan
 * @property {Record<string, string>} found tool name to its file, or to its folder of headers
 * @property {Emscripten | null} emscripten
 * @property {string[]} apt packages to install
 * @property {string | null} suite the further Debian suite from which one of them comes
 * @property {boolean} emsdk whether emsdk is to be installed below `build/`
 * @property {string[]} notes sentences on what was found but cannot be used
 * @property {string | null} ask one sentence for the user
 */

export const oldestEmscripten = "3.1.69"; // the oldest with which the tests pass; Debian 13's
export const emsdkVersion = "6.0.5";

/**
 * @typedef {object} Tool
 * @property {string} name
 * @property {Want[]} wants
 * @property {string} label how the user knows it
 * @property {string} apt
 * @property {string} [brew]
 * @property {string[]} [commands] any of them serves
 * @property {string[]} [places] files where the same is found beside PATH
 * @property {string} [header]
 * @property {string} [major] the only major version that serves
 * @property {string} [onUbuntu] how to ask for it where Ubuntu's package only points to a snap
 */

/** @type {Tool[]} */
const tools = [
  {
    name: "cmake",
    wants: ["emscripten", "native"],
    label: "CMake",
    commands: ["cmake"],
    apt: "cmake",
    brew: "cmake",
  },
  {
    name: "make",
    wants: ["emscripten", "native"],
    label: "Ninja or make",
    commands: ["ninja", "make"],
    apt: "ninja-build",
    brew: "ninja",
  },
  {
    name: "cxx",
    wants: ["native"],
    label: "a C++20 compiler (g++)",
    commands: ["g++"],
    apt: "g++",
    brew: "gcc",
  },
  {
    name: "simde",
    wants: ["native"],
    label: "the SIMDe headers",
    header: "simde/wasm/simd128.h",
    apt: "libsimde-dev",
    brew: "simde",
  },
  {
    name: "doctest",
    wants: ["native"],
    label: "the doctest header",
    header: "doctest/doctest.h",
    apt: "doctest-dev",
    brew: "doctest",
  },
  {
    name: "clangFormat",
    wants: ["format"],
    label: "clang-format 19",
    commands: ["clang-format-19", "clang-format"],
    places: ["/opt/homebrew/opt/llvm@19/bin/clang-format"],
    major: "19",
    apt: "clang-format-19",
    brew: "llvm@19",
  },
  {
    name: "chromium",
    wants: ["browser"],
    label: "Chromium",
    // The first opens no windows, so a page takes half of the work.
    commands: [
      "chromium-headless-shell",
      "chromium",
      "chromium-browser",
      "google-chrome",
      "google-chrome-stable",
    ],
    places: [
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ],
    apt: "chromium-headless-shell",
    brew: "chromium",
    onUbuntu: "Chromium or Google Chrome",
  },
  {
    name: "firefox",
    wants: ["firefox"],
    label: "Firefox",
    commands: ["firefox-esr", "firefox"],
    places: ["/Applications/Firefox.app/Contents/MacOS/firefox"],
    apt: "firefox-esr",
    brew: "firefox",
    onUbuntu: "Firefox",
  },
  {
    name: "python",
    wants: ["python"],
    label: "Python 3",
    commands: ["python3"],
    apt: "python3",
    brew: "python",
  },
  {
    name: "pip",
    wants: ["python"],
    label: "pip",
    commands: ["pip3"],
    apt: "python3-pip",
    brew: "python",
  },
  {
    name: "debootstrap",
    wants: ["chroot"],
    label: "debootstrap",
    commands: ["debootstrap"],
    apt: "debootstrap",
  },
];

/** What emsdk itself needs before it can be fetched. @type {Tool[]} */
const emsdkTools = [
  { name: "git", wants: [], label: "git", commands: ["git"], apt: "git", brew: "git" },
  {
    name: "python3",
    wants: [],
    label: "Python 3",
    commands: ["python3"],
    apt: "python3",
    brew: "python",
  },
];

/**
 * @param {Host} host
 * @param {Want[]} wants
 * @returns {Plan}
 */
export function plan(host, wants) {
  /** @type {Plan} */
  const made = {
    found: {},
    emscripten: null,
    apt: [],
    suite: null,
    emsdk: false,
    notes: [],
    ask: null,
  };
  const needed = tools.filter((tool) => tool.wants.some((want) => wants.includes(want)));
  const distribution = distributionOf(host);
  const installs =
    host.uid === 0 &&
    ["debian", "ubuntu"].includes(distribution.id) &&
    which(host, "apt-get") !== null;

  if (wants.includes("emscripten")) {
    const present = emscriptens(host);
    made.emscripten = present.find(isNewEnough) ?? null;
    if (!made.emscripten) {
      made.notes = present.map(({ emcc, version }) => {
        return `${emcc} is Emscripten ${version}, older than ${oldestEmscripten}, and is passed over.`;
      });
      const release = installs ? emscriptenPackage(distribution) : null;
      if (release) {
        made.apt.push(release.package);
        made.suite = release.suite;
      } else {
        made.emsdk = true;
        needed.push(...emsdkTools);
        // Without these certificates git trusts no server, and git's package only recommends them.
        if (installs && !isFile(host, "/etc/ssl/certs/ca-certificates.crt")) {
          made.apt.push("ca-certificates");
        }
      }
    }
  }

  /** @type {Tool[]} */
  const missing = [];
  for (const tool of needed) {
    const place = find(host, tool);
    if (place) made.found[tool.name] = place;
    else missing.push(tool);
  }
  if (host.platform === "win32") {
    made.ask = "phasor is built on Linux or macOS; on Windows, run this inside WSL with Debian.";
  } else if (wants.includes("chroot") && !(installs && distribution.id === "debian")) {
    made.ask = "A second Debian in a folder can only be made on Debian, as root.";
  } else if (installs && distribution.id === "ubuntu" && missing.some(({ onUbuntu }) => onUbuntu)) {
    // Most containers cannot run a snap.
    const browsers = missing.flatMap(({ onUbuntu }) => onUbuntu ?? []);
    const there = browsers.length > 1 ? "they are" : "it is";
    made.ask = `Install ${listed(browsers)} so that ${there} on PATH, then run this again.`;
  } else if (installs) {
    made.apt.push(...missing.map((tool) => tool.apt));
  } else if (missing.length) {
    made.ask = sentence(host, missing);
  }
  return made;
}

/** @param {Host} host @param {Tool[]} missing */
function sentence(host, missing) {
  const labels = listed(missing.map((tool) => tool.label));
  const command = which(host, "apt-get")
    ? `sudo apt-get install -y ${missing.map((tool) => tool.apt).join(" ")}`
    : host.platform === "darwin"
      ? `brew install ${missing.map((tool) => tool.brew).join(" ")}`
      : null;
  return `Install ${labels}${command ? ` (${command})` : ""}, then run this again.`;
}

/** @param {string[]} words */
function listed(words) {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * Every Emscripten of this machine in the order of preference: those on PATH, `$EMSDK`, the emsdk below build/.
 *
 * @param {Host} host
 * @returns {Emscripten[]}
 */
export function emscriptens(host) {
  const places = host.path.map((folder) => ({ emcc: join(folder, "emcc"), from: "PATH" }));
  const sdks = [{ folder: emsdkFolder(host), from: "build/emsdk" }];
  if (host.env.EMSDK) sdks.unshift({ folder: host.env.EMSDK, from: "EMSDK" });
  for (const { folder, from } of sdks) {
    places.push({ emcc: join(folder, "upstream/emscripten/emcc"), from });
  }
  return places
    .filter(({ emcc }) => isFile(host, emcc))
    .map(({ emcc, from }) => ({ emcc, from, ...versionOfEmscripten(host, emcc) }));
}

/** @param {Emscripten} emscripten */
const isNewEnough = ({ version }) => compareVersions(version, oldestEmscripten) >= 0;

/** @param {Host} host */
export const emsdkFolder = (host) => join(host.project, "build/emsdk");

/**
 * Emscripten keeps its version in a file next to emcc; starting emcc to ask it takes Python half a
 * second, so only wrappers elsewhere are run.
 *
 * @param {Host} host
 * @param {string} emcc
 */
function versionOfEmscripten(host, emcc) {
  const folder = dirname(real(host, emcc));
  const text = read(host, join(folder, "emscripten-version.txt"));
  return text
    ? { version: versionIn(text), folder }
    : { version: versionIn(host.version(emcc)), folder: null };
}

/**
 * Whether an Emscripten would use a binaryen that is too old for it. Debian's package can come with
 * an older suite's binaryen, and its configuration names where that lies; other packages and emsdk
 * bring their own.
 *
 * @param {Host} host
 * @param {Emscripten} emscripten
 * @returns {{ version: number, system: string } | null} the version it needs and the folder of the
 *   tools it would use; null if no replacement is needed
 */
export function binaryenToMend(host, { folder }) {
  const chosen = host.env.EM_BINARYEN_ROOT;
  if (!folder || (chosen && chosen !== binaryenFolder(host))) return null;
  const config = read(host, join(folder, ".emscripten"));
  const building = read(host, join(folder, "tools/building.py"));
  const [, root] = /^BINARYEN_ROOT = '([^']+)'/m.exec(config) ?? [];
  const expected = Number(/^EXPECTED_BINARYEN_VERSION = (\d+)/m.exec(building)?.[1]);
  if (!root || !expected) return null;
  const system = join(root, "bin");
  const wasmOpt = join(system, "wasm-opt");
  const present = isFile(host, wasmOpt) ? Number(/\d+/.exec(host.version(wasmOpt))?.[0]) : 0;
  // Emscripten itself accepts the version it was tested with and the one after.
  return [expected, expected + 1].includes(present) ? null : { version: expected, system };
}

/** @param {Host} host */
export const binaryenFolder = (host) => join(host.project, "build/binaryen");

/**
 * The lines of a build's output that must fail it: every warning or error of the compiler, the linker
 * and Emscripten. An old wasm-emscripten-finalize prints the module's metadata as well, a wall of
 * JSON, which is not a problem. Ninja passes on its commands' stderr in its own stdout.
 *
 * @param {string} output
 * @returns {string[]}
 */
export function complaints(output) {
  return output
    .split(/\r?\n/)
    .filter((line) => /^(?![\s"{}[\]]|ninja:|g?make\b).*\b(warning|error): /.test(line));
}

/** @typedef {{ id: string, version: string, codename: string }} Distribution */

/** @param {Host} host @returns {Distribution} */
export function distributionOf(host) {
  const text = read(host, "/etc/os-release");
  /** @param {string} name */
  const field = (name) => new RegExp(`^${name}="?([^"\n]*)`, "m").exec(text)?.[1] ?? "";
  return { id: field("ID"), version: field("VERSION_ID"), codename: field("VERSION_CODENAME") };
}

/**
 * The Debian package with a new enough Emscripten. Debian 12's own is 3.1.6; trixie's can be put
 * beside Debian 12's LLVM 19 without touching libc.
 *
 * @param {Distribution} distribution
 * @returns {{ package: string, suite: string | null } | null}
 */
function emscriptenPackage({ id, version }) {
  if (id === "debian" && version === "12") return { package: "emscripten/trixie", suite: "trixie" };
  // Debian testing and unstable have no version number.
  const own =
    (id === "debian" && (version === "" || Number(version) >= 13)) ||
    (id === "ubuntu" && Number(version) >= 25);
  return own ? { package: "emscripten", suite: null } : null;
}

/**
 * The machine's own Debian source, to take its address and key for another suite.
 *
 * @param {string[]} texts contents of sources.list, *.list and *.sources
 * @param {string} suite such as "bookworm"
 * @returns {{ uri: string, signedBy: string | null } | null}
 */
export function debianSource(texts, suite) {
  for (const text of texts) {
    for (const { types, uris, suites, signedBy } of sourcesIn(text)) {
      const uri = uris.find((each) => !each.startsWith("cdrom:"));
      if (uri && types.includes("deb") && suites.includes(suite)) return { uri, signedBy };
    }
  }
  return null;
}

/** @param {string} text in either of apt's two formats */
function sourcesIn(text) {
  /** @type {{ types: string[], uris: string[], suites: string[], signedBy: string | null }[]} */
  const sources = [];
  for (const line of text.split("\n")) {
    const parts = /^\s*(deb|deb-src)\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)/.exec(line);
    if (!parts) continue;
    const signedBy = /signed-by=(\S+)/i.exec(parts[2] ?? "")?.[1] ?? null;
    sources.push({ types: [parts[1]], uris: [parts[3]], suites: [parts[4]], signedBy });
  }
  const uncommented = text.replace(/^#.*\n?/gm, "");
  for (const stanza of uncommented.split(/\n\s*\n/)) {
    // A field's value continues on lines that begin with a space.
    /** @param {string} name */
    const field = (name) =>
      new RegExp(`^${name}:[ \t]*(.*(?:\n[ \t].*)*)`, "im").exec(stanza)?.[1].trimEnd() ?? null;
    /** @param {string} name */
    const words = (name) => field(name)?.split(/\s+/).filter(Boolean) ?? [];
    if (/^no$/i.test(field("Enabled") ?? "")) continue;
    const source = { types: words("Types"), uris: words("URIs"), suites: words("Suites") };
    if (source.types.length) sources.push({ ...source, signedBy: field("Signed-By") });
  }
  return sources;
}

/**
 * @param {{ uri: string, signedBy: string | null }} source
 * @param {string} suite
 */
export function sourceFile({ uri, signedBy }, suite) {
  const lines = ["Types: deb", `URIs: ${uri}`, `Suites: ${suite}`, "Components: main"];
  if (signedBy) lines.push(`Signed-By:${signedBy.startsWith("\n") ? "" : " "}${signedBy}`);
  return `${lines.join("\n")}\n`;
}

/** Below every installed version's 500: nothing comes from that suite unless it is named. @param {string} suite */
export function pinFile(suite) {
  return `Package: *\nPin: release n=${suite}\nPin-Priority: 100\n`;
}

/**
 * What `apt-get install --simulate` would do to the C library beyond an update within its release.
 *
 * @param {string} simulation
 * @returns {string | null} one sentence why not to go on
 */
export function refusal(simulation) {
  if (/^Remv libc6 /m.test(simulation)) return "apt would remove libc6; nothing was installed.";
  const [, from, to] = /^Inst libc6 \[([^\]]+)\] \((\S+)/m.exec(simulation) ?? [];
  /** @param {string} version */
  const upstream = (version) => version.replace(/-.*/, "");
  if (!from || upstream(from) === upstream(to)) return null;
  return `apt would replace libc6 ${from} by ${to}; nothing was installed.`;
}

/** @param {Host} host @param {Tool} tool @returns {string | undefined} */
function find(host, { commands = [], places = [], header, major }) {
  if (header) return includeFolders(host).find((folder) => isFile(host, join(folder, header)));
  return [...commands.map((command) => which(host, command)), ...places]
    .filter((file) => file !== null)
    .filter((file) => isFile(host, file))
    .find((file) => !major || versionIn(host.version(file)).startsWith(`${major}.`));
}

/** @param {Host} host */
function includeFolders(host) {
  const named = (host.env.CPATH ?? "").split(":").filter(Boolean);
  return [...named, "/usr/include", "/usr/local/include", "/opt/homebrew/include"];
}

/**
 * @param {Host} host
 * @param {string} command
 * @returns {string | null}
 */
export function which(host, command) {
  return (
    host.path.map((folder) => join(folder, command)).find((file) => isFile(host, file)) ?? null
  );
}

/** @param {string} text */
function versionIn(text) {
  return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? "0.0.0";
}

/** Negative, zero or positive, as for sorting. @param {string} a @param {string} b */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  const at = left.findIndex((number, i) => number !== right[i]);
  return at < 0 ? 0 : left[at] - (right[at] ?? 0);
}

/** @param {Host} host @param {string} file */
const at = (host, file) => join(host.root, file);

/** @param {Host} host @param {string} file */
function isFile(host, file) {
  return existsSync(at(host, file)) && statSync(at(host, file)).isFile();
}

/** @param {Host} host @param {string} file */
function read(host, file) {
  return isFile(host, file) ? readFileSync(at(host, file), "utf8") : "";
}

/** @param {Host} host @param {string} file */
function real(host, file) {
  const place = realpathSync(at(host, file));
  const root = realpathSync(host.root);
  return root !== "/" && place.startsWith(root) ? place.slice(root.length) : place;
}
