/** One instance that all calls of an entry share. */

/**
 * A function that loads on its first call and gives the same from then on; after a failure, the next call loads again.
 * @template Loaded
 * @param {() => Promise<Loaded>} load
 * @returns {() => Promise<Loaded>}
 */
export function sharing(load) {
  /** @type {Promise<Loaded> | undefined} */
  let own;
  return () => {
    own ??= load();
    own.catch(() => (own = undefined));
    return own;
  };
}
