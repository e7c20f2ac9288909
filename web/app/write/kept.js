// What the reader has done with the tasks, kept by this browser.

/** A later format has another number. */
const KEY = "phasor.write.1";

/**
 * @typedef {object} Kept
 * @property {string} [code]  if the reader has changed it
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
  const { code, tries, solved } = (Object.hasOwn(all_, name) && all_[name]) || {};
  return {
    ...(typeof code === "string" ? { code } : {}),
    tries: Number.isSafeInteger(tries) ? Number(tries) : 0,
    solved: solved === true,
  };
}

/** @param {string} name @param {Partial<Kept>} change */
export function keep(name, change) {
  write({ ...all(), [name]: { ...kept(name), ...change } });
}

/** @param {string} name */
export function forget(name) {
  const { [name]: _, ...others } = all();
  write(others);
}

/** @param {Record<string, Partial<Kept>>} what */
function write(what) {
  try {
    localStorage.setItem(KEY, JSON.stringify(what));
  } catch {
    // without storage the page works as well; it forgets
  }
}
