/** Where the choice is kept. `early-theme.js` reads it too. */
const KEY = "phasor theme";

const dark = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

/** Lets the header's button switch between the light and the dark theme. */
export function connectThemeSwitch() {
  const button = document.querySelector("button.theme");
  if (!button) return;
  const label = () => {
    button.setAttribute("aria-label", `Use the ${other()} theme`);
    colorBars();
  };
  button.addEventListener("click", () => {
    choose(other());
    label();
  });
  dark.addEventListener("change", label);
  label();
}

/** The theme that is not shown. */
function other() {
  const system = dark.matches ? "dark" : "light";
  return (root.dataset.theme ?? system) === "dark" ? "light" : "dark";
}

/** Keeps a theme; that of the system is no choice. @param {string} theme */
function choose(theme) {
  const isSystem = (theme === "dark") === dark.matches;
  if (isSystem) delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    if (isSystem) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Without storage it holds for this page.
  }
}

/** Gives the browser's bars the color of the theme that is shown. */
function colorBars() {
  const chosen = root.dataset.theme;
  for (const meta of /** @type {NodeListOf<HTMLMetaElement>} */ (
    document.querySelectorAll('meta[name="theme-color"]')
  )) {
    const { theme } = meta.dataset;
    if (!chosen) meta.media = `(prefers-color-scheme: ${theme})`;
    else meta.media = theme === chosen ? "all" : "not all";
  }
}
