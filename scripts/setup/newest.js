// phasor's core by the newest Emscripten: that of Debian testing, which is installed in build/forky. Remove that folder to
// get a newer one.

import { cpSync, existsSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run, step } from "./run.js";
import { again, ownSource, project, setup, thisHost } from "./setup.js";
import { complaints } from "./toolchain.js";

const suite = "forky";
const debian = join(project, "build", suite);
const packages = ["emscripten", "nodejs", "cmake", "make", "doctest-dev"];

/**
 * Runs a command inside, with only the proxy settings of the environment.
 *
 * @param {string[]} command
 * @param {Parameters<typeof run>[2]} [options]
 */
export function inside(command, options) {
  const names = Object.keys(process.env).filter((name) => !/_proxy$/i.test(name));
  const env = {
    ...Object.fromEntries(names.map((name) => [name, undefined])),
    PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/root",
    LANG: "C.UTF-8",
    DEBIAN_FRONTEND: "noninteractive",
  };
  return run("chroot", [debian, ...command], { ...options, env });
}

async function installDebian() {
  if (existsSync(join(debian, "usr/bin/emcc"))) return;
  const { uri } = ownSource(thisHost());
  // An older debootstrap does not know the suite; all later ones are made as unstable is.
  const recipe = "/usr/share/debootstrap/scripts/sid";
  await step(`Making a Debian ${suite} in build/${suite}`, () =>
    again(() => {
      rmSync(debian, { recursive: true, force: true });
      const args = ["--variant=minbase", suite, debian, uri, recipe];
      return run("debootstrap", args, { quiet: true });
    }),
  );
  await step(`Installing ${packages.join(", ")} there`, async () => {
    // A mirror that is kept as it was on some day is as good: its signature is checked all the same.
    const update = ["apt-get", "-o", "Acquire::Check-Valid-Until=false", "update"];
    await again(() => inside(update, { quiet: true }));
    const install = ["apt-get", "install", "-y", "--no-install-recommends", ...packages];
    await again(() => inside(install, { quiet: true }));
  });
}

/** @param {string[]} targets  of CMake */
async function compile(targets) {
  for (const name of ["CMakeLists.txt", "src", "tests"]) {
    // Removed first so that no deleted file stays; with its time kept, make rebuilds what changed.
    rmSync(join(debian, "phasor", name), { recursive: true, force: true });
    cpSync(join(project, name), join(debian, "phasor", name), {
      recursive: true,
      preserveTimestamps: true,
    });
  }
  const make = ["cmake", "-S", "/phasor", "-B", "/phasor/build", "-G", "Unix Makefiles"];
  // Without precompiled headers a file that includes less than it uses does not compile.
  const options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"];
  await inside(["emcmake", ...make, ...options], { quiet: true });
  const given = ["--target", ...targets, "-j", `${availableParallelism()}`];
  const { stdout, stderr } = await inside(["cmake", "--build", "/phasor/build", ...given], {
    quiet: true,
  });
  const found = complaints(stdout + stderr);
  if (found.length) throw new Error(`The build complained:\n${found.join("\n")}`);
}

/**
 * @param {string[]} targets  of CMake
 * @returns {Promise<{ version: string, folder: string }>} what Emscripten says of itself, and the folder of the cores
 */
export async function buildByNewest(targets) {
  await setup(["packages", "chroot"]);
  await installDebian();
  const { stdout } = await inside(["emcc", "--version"], { capture: true });
  const version = stdout.split("\n")[0];
  await step(`Building ${targets.join(", ")} by ${version}`, () => compile(targets));
  return { version, folder: join(debian, "phasor/build") };
}
