/**
 * The style of figures, as one constructed style sheet for each document. A strict Content Security Policy allows it,
 * and a notebook needs no further file. Colors are the custom properties of the page if it has them (--paper,
 * --raised, --ink, --quiet, --line, --accent), or those of Observable's themes.
 */
const SHELL = `
.phasor-figure {
  --phasor-paper: var(--paper, var(--theme-background, Canvas));
  --phasor-ink: var(--ink, var(--theme-foreground, CanvasText));
  --phasor-accent: var(--accent, var(--theme-foreground-focus, LinkText));
  --phasor-raised: var(--raised, color-mix(in srgb, var(--phasor-ink) 6%, var(--phasor-paper)));
  --phasor-quiet: var(--quiet, color-mix(in srgb, var(--phasor-ink) 72%, var(--phasor-paper)));
  --phasor-line: var(--line, color-mix(in srgb, var(--phasor-ink) 18%, var(--phasor-paper)));
  display: block;
  min-width: 0;
  margin: 0 0 1rem;
  color: var(--phasor-ink);
  font-variant-numeric: tabular-nums;
}
.phasor-figure[data-theme="light"] {
  --paper: #ffffff; --raised: #f3f4f1; --ink: #1d2227; --quiet: #57616a; --line: #dcdfdc;
  --accent: #0b6b66;
  color-scheme: light;
  background: var(--phasor-paper);
}
.phasor-figure[data-theme="dark"] {
  --paper: #12161a; --raised: #1a1f24; --ink: #e3e7ea; --quiet: #9ba6b0; --line: #2d343b;
  --accent: #5fd0c5;
  color-scheme: dark;
  background: var(--phasor-paper);
}
.phasor-figure, .phasor-figure *, .phasor-figure ::before, .phasor-figure ::after {
  box-sizing: border-box;
}
.phasor-figure [hidden] { display: none !important; }
.phasor-figure .phasor-title { margin: 0 0 0.5rem; color: inherit; font-weight: 600; }
.phasor-figure .phasor-picture { position: relative; min-width: 0; touch-action: pan-y; }
.phasor-figure .phasor-picture[role="application"] { cursor: crosshair; }
.phasor-figure .phasor-picture:focus-visible {
  outline: 3px solid var(--phasor-accent);
  outline-offset: 2px;
}
.phasor-figure .phasor-picture svg {
  display: block;
  max-width: 100%;
  height: auto;
  overflow: visible;
  --plot-background: var(--phasor-paper);
}
.phasor-figure .phasor-picture svg :is(text, tspan) { white-space: pre; }
.phasor-figure .phasor-reading {
  min-height: 1.6em;
  max-width: none;
  margin: 0.4rem 0 0;
  overflow-wrap: anywhere;
  font-size: 0.875rem;
}
.phasor-figure .phasor-numbers { margin-top: 0.3rem; font-size: 0.875rem; }
.phasor-figure .phasor-numbers > summary {
  width: fit-content;
  color: var(--phasor-quiet);
  cursor: pointer;
}
.phasor-figure .phasor-numbers > summary:focus-visible,
.phasor-figure .phasor-rows:focus-visible {
  outline: 3px solid var(--phasor-accent);
  outline-offset: 2px;
}
.phasor-figure .phasor-numbers p { margin: 0.4rem 0; color: var(--phasor-quiet); }
.phasor-figure .phasor-rows {
  overflow: auto;
  max-height: 20rem;
  border: 1px solid var(--phasor-line);
}
.phasor-figure table { border-collapse: collapse; }
.phasor-figure :is(th, td) {
  padding: 0.15rem 0.6rem;
  border-bottom: 1px solid var(--phasor-line);
  text-align: right;
  white-space: pre;
}
.phasor-figure thead th {
  position: sticky;
  top: 0;
  background: var(--phasor-raised);
  font-weight: 600;
}
.phasor-figure tbody th { font-weight: 600; }
@media print {
  .phasor-figure, .phasor-figure[data-theme] {
    --paper: #ffffff; --raised: #f3f4f1; --ink: #1d2227; --quiet: #57616a; --line: #dcdfdc;
    --accent: #0b6b66;
    color-scheme: light;
    background: var(--phasor-paper);
    break-inside: avoid;
  }
  .phasor-figure .phasor-numbers:not([open]) { display: none; }
  .phasor-figure .phasor-rows { overflow: visible; max-height: none; }
}
`;

/** @type {WeakMap<Document | ShadowRoot, Set<string>>} */
const adopted = new WeakMap();

/**
 * Gives a document, or a shadow root in it, the rules of the shell and of a kind, once.
 * @param {Document | ShadowRoot} root
 * @param {string} rules  of the kind
 */
export function adopt(root, rules) {
  const view = (root.ownerDocument ?? /** @type {Document} */ (root)).defaultView;
  if (!root.adoptedStyleSheets || !view?.CSSStyleSheet) return; // linkedom has no styles
  const known = adopted.get(root) ?? new Set();
  adopted.set(root, known);
  for (const text of [SHELL, rules]) {
    if (text === "" || known.has(text)) continue;
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(text);
    root.adoptedStyleSheets.push(sheet);
    known.add(text);
  }
}
