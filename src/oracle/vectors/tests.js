/**
 * The tests of a kit, one for each language. The package has this in a separate file (`vectors-tests` in
 * scripts/package/build.js), which `phasor/vectors` imports on first use.
 */
import vitest from "./templates/positions.test.txt";
import cpp from "./templates/positions_test.cc";
import rust from "./templates/positions_test.rs";
import swift from "./templates/PositionsTests.swift";
import pytest from "./templates/test_positions.py";

/** @type {Record<string, readonly [name: string, text: string]>} */
const TESTS = {
  pytest: ["test_positions.py", pytest],
  vitest: ["positions.test.js", vitest],
  rust: ["positions_test.rs", rust],
  swift: ["PositionsTests.swift", swift],
  cpp: ["positions_test.cc", cpp],
};

/**
 * @param {readonly string[]} languages @param {Record<string, string>} made
 * @returns {Record<string, string>} files by name
 */
export function testFiles(languages, { phasor, config, sha256 }) {
  const made = `Made by phasor ${phasor} of ${config}, SHA-256 ${sha256.slice(0, 16)}.`;
  return Object.fromEntries(
    languages.map((language) => {
      const [name, text] = TESTS[language];
      return [name, text.replaceAll("MADE BY PHASOR", made).replaceAll("PHASOR VERSION", phasor)];
    }),
  );
}
