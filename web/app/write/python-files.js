// What Python in the browser is made of. The site does not carry it: no package registry has NumPy's wheel for
// Pyodide by itself, and without NumPy the rest, 13.7 MB, would be of no use. This is the newest version of which
// the tests can have all files. A file with another digest is refused.

/** Who serves the files. */
export const HOST = "cdn.jsdelivr.net";

const VERSION = "0.27.7";
const PACKAGE = `https://${HOST}/npm/pyodide@${VERSION}/`;
const RELEASE = `https://${HOST}/pyodide/v${VERSION}/full/`;

/** What they are compressed, in bytes by gzip. */
export const DOWNLOAD = 8_736_810;

/**
 * By their parts: address, bytes and digest.
 * @type {Readonly<Record<"loader" | "glue" | "core" | "library" | "numpy", { address: string, size: number, sha256: string, type: string }>>}
 */
export const FILES = {
  loader: {
    address: `${PACKAGE}pyodide.mjs`,
    size: 13_931,
    sha256: "BMBSyBWrsL8pgfo4wt+ljjEg7lKIyVbfKyoV4wF4LF8=",
    type: "text/javascript",
  },
  glue: {
    address: `${PACKAGE}pyodide.asm.js`,
    size: 1_255_688,
    sha256: "a0yQ3ltxcoc/BPIYhNDp0idOMF/jIRZVj+Pk++NhjVE=",
    type: "text/javascript",
  },
  core: {
    address: `${PACKAGE}pyodide.asm.wasm`,
    size: 10_105_545,
    sha256: "pQ3RhD+AWgt8RbYQN+4Neybf6F7+DhjvlaNK0k5AH18=",
    type: "application/wasm",
  },
  library: {
    address: `${PACKAGE}python_stdlib.zip`,
    size: 2_360_737,
    sha256: "FmEVNHJuXYrCvY+SZBCy3LjW9JqiSRNGNTO0V6IRXBY=",
    type: "application/zip",
  },
  numpy: {
    address: `${RELEASE}numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl`,
    size: 3_061_133,
    sha256: "67YSQdliuYshWX185DtnZoptW6s6zsT76VhlcyDXzQg=",
    type: "application/zip",
  },
};

/** What Pyodide wants to know of its packages. */
export const LOCK = {
  info: {
    abi_version: "2024_0",
    arch: "wasm32",
    platform: "emscripten_3_1_58",
    python: "3.12.7",
    version: VERSION,
  },
  packages: {},
};
