/** Which parts of the readers' source have run: V8's own block coverage of this thread, by offsets in each file. */
import { readFileSync } from "node:fs";
import { Session } from "node:inspector";

const FILES = /\/src\/(files|models)\//;

export class Coverage {
  #session = new Session();
  /** By address: 1 where the source has run. @type {Map<string, Uint8Array>} */
  #reached = new Map();

  /** Counts from now on: import the readers afterwards. */
  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /**
   * What has run since the last call.
   * @param {boolean} keeps  whether it counts as reached from now on
   * @returns {number} of letters of the source that were not reached before
   */
  take(keeps) {
    /** @type {import("node:inspector").Profiler.ScriptCoverage[]} */
    let scripts = [];
    this.#session.post("Profiler.takePreciseCoverage", (error, found) => {
      if (error) throw error;
      scripts = found.result;
    });
    let sum = 0;
    for (const { url, functions } of scripts) {
      if (!FILES.test(url)) continue;
      const known = this.#reached.get(url);
      const length = known?.length ?? readFileSync(new URL(url), "utf8").length;
      const [reached, now] = [known ?? new Uint8Array(length), new Uint8Array(length)];
      // A function comes before those in it, and a block before those in it.
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          now.fill(Number(count > 0), startOffset, endOffset);
        }
      }
      for (let i = 0; i < length; ++i) {
        if (now[i] <= reached[i]) continue;
        ++sum;
        if (keeps) reached[i] = 1;
      }
      this.#reached.set(url, reached);
    }
    return sum;
  }

  /** Branches and functions that nothing has reached, by file. @returns {[path: string, lines: string[]][]} */
  missing() {
    return [...this.#reached].sort().map(([url, reached]) => {
      const source = readFileSync(new URL(url), "utf8");
      const path = url.slice(url.lastIndexOf("/src/") + 1);
      return [path, linesOf(source, reached)];
    });
  }
}

/** The line in which each part that was not reached begins; parts of brackets alone are left out. @param {string} source @param {Uint8Array} reached */
export function linesOf(source, reached) {
  const lines = [];
  for (let at = reached.indexOf(0); at >= 0;) {
    const next = reached.indexOf(1, at);
    const end = next < 0 ? reached.length : next;
    const text = source.slice(at, end);
    if (/\w/.test(text)) {
      const begin = at + text.search(/\S/);
      const line = source.slice(0, begin).split("\n").length;
      lines.push(`${line}: ${source.split("\n")[line - 1].trim().slice(0, 90)}`);
    }
    at = next < 0 ? -1 : reached.indexOf(0, next);
  }
  return lines;
}
