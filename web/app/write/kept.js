// What the reader has done with the tasks, kept by this browser.

/** A later format has another number. */
const KEY = "phasor.write.1";

/**
 * @typedef {object} Kept
 * @property {string} [code]  if the reader has changed it
 * @property {string} [python]  the same in Python
 * @property {number} tries  that were not right
 * @property {boolean} solved
 */

/** @returns {Record<string, Partial<Kept>>} */
function all() {
  try {
    const read = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof read === "object" && read ? read : {};
  } catch {
    return {}; // no storage, or another program's text
  }
}

/** @param {string} name  of a task @returns {Kept} */
export function kept(name) {
  const all_ = all();
  const { code, python, tries, solved } = (Object.hasOwn(all_, name) && all_[name]) || {};
  return {
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof python === "string" ? { python } : {}),
    tries: Number.isSafeInteger(tries) ? Number(tries) : 0,
    solved: solved === true,
  };
}

/** @param {string} name @param {Partial<Kept>} change */
export function keep(name, change) {
  write({ ...all(), [name]: { ...kept(name), ...change } });
}

/** Forgets all but the code in the other language. @param {string} name @param {"code" | "python"} of */
export function forget(name, of) {
  const { [name]: _, ...others } = all();
  const other = of === "code" ? "python" : "code";
  const left = kept(name)[other];
  write(left === undefined ? others : { ...others, [name]: { [other]: left } });
}

/** @param {Record<string, Partial<Kept>>} what */
function write(what) {
  try {
    localStorage.setItem(KEY, JSON.stringify(what));
  } catch {
    // without storage the page works as well; it forgets
  }
}
