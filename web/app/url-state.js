// The settings of a page in its URL, after the #: `#scheme=rope&dim=64`.

/** Milliseconds without a change after which the URL is written. */
const DELAY = 300;

/**
 * Keeps the settings of a page in its URL. A page has one of these.
 *
 * @param {object} page
 * @param {(settings: URLSearchParams) => void} page.read  sets the page to the settings of the URL
 * @param {() => Iterable<[name: string, text: string]>} page.entries  the settings that differ from their defaults
 * @returns {() => void} call it after a change
 */
export function urlState({ read, entries }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function write() {
    const hash = new URLSearchParams([...entries()]).toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  function save() {
    clearTimeout(timer);
    timer = setTimeout(write, DELAY);
  }

  // The browser reports a change later than it makes it. What was to be written may have come between.
  addEventListener("hashchange", ({ newURL }) => {
    const { hash } = new URL(newURL);
    if (document.getElementById(hash.slice(1)))
      save(); // a link within the page
    else {
      if (location.href !== newURL) save();
      read(urlSettings(hash));
    }
  });
  return save;
}

/** The settings that the URL holds. @param {string} [hash] */
export function urlSettings(hash = location.hash) {
  return new URLSearchParams(hash.replace(/^#/, ""));
}
