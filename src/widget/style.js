/** The style of the widget. Its colors are those of the figures. */
export const STYLE = `
.phasor-widget {
  --ink: #1d2227; --quiet: #57616a; --line: #dcdfdc; --accent: #0b6b66; --paper: #ffffff;
  --wrong: #a3202c;
  padding: 0.75rem;
  border-radius: 0.375rem;
  background: var(--paper);
  color: var(--ink);
  color-scheme: light;
  font-size: 0.9375rem;
  line-height: 1.5;
}
.phasor-widget[data-theme="dark"] {
  --ink: #e3e7ea; --quiet: #9ba6b0; --line: #2d343b; --accent: #5fd0c5; --paper: #12161a;
  --wrong: #ff9e9e;
  color-scheme: dark;
}
@media print {
  .phasor-widget[data-theme="dark"] {
    --ink: #1d2227; --quiet: #57616a; --line: #dcdfdc; --accent: #0b6b66; --paper: #ffffff;
    --wrong: #a3202c;
    color-scheme: light;
  }
}
.phasor-widget:not([data-theme]) { background: none; color: inherit; color-scheme: inherit; }
.phasor-widget [hidden] { display: none !important; }
.phasor-widget > .phasor-figure { margin: 0; }
.phasor-widget .phasor-wrong {
  max-width: none;
  margin: 0 0 0.75rem;
  padding-left: 0.75rem;
  border-left: 3px solid var(--wrong);
  color: var(--wrong);
  overflow-wrap: anywhere;
}
.phasor-widget:not([data-theme]) .phasor-wrong { border-color: currentcolor; color: inherit; }
.phasor-widget.phasor-stale .phasor-picture { filter: grayscale(1); }
.phasor-widget .phasor-controls {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr));
  gap: 0.5rem 1.5rem;
  margin-bottom: 0.9rem;
}
.phasor-widget .phasor-controls label {
  display: grid;
  grid-template-columns: 1fr auto;
  align-items: center;
  margin: 0;
  color: var(--quiet);
  font-size: 0.8125rem;
  font-weight: 400;
}
.phasor-widget .phasor-controls output {
  color: var(--ink);
  font-weight: 600;
  font-variant-numeric: tabular-nums;
}
.phasor-widget .phasor-controls :is(input, select) {
  grid-column: 1 / -1;
  width: 100%;
  min-width: 0;
  height: 1.75rem;
  margin: 0;
  accent-color: var(--accent);
  font: inherit;
}
.phasor-widget .phasor-controls input[type="checkbox"] { width: 1.125rem; }
.phasor-widget .phasor-controls select {
  padding: 0 0.3rem;
  border: 1px solid var(--quiet);
  border-radius: 0.25rem;
  background: var(--paper);
  color: var(--ink);
}
.phasor-widget .phasor-controls :is(input, select):focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}
`;
