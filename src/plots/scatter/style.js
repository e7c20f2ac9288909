/** The style of scatter plots. */
export const scatterStyle = `
.phasor-figure[data-kind="scatter"] .phasor-picture { touch-action: pan-x pan-y; }
.phasor-figure[data-kind="scatter"] .phasor-picture:focus { touch-action: none; }
.phasor-figure .phasor-scatter { position: relative; overflow: hidden; user-select: none; -webkit-user-select: none; }
.phasor-figure .phasor-scatter canvas {
  display: block;
  border: 0 solid var(--phasor-line);
  background: var(--phasor-paper);
  color: var(--phasor-ink);
}
.phasor-figure :is(.phasor-ring, .phasor-name) { position: absolute; top: 0; left: 0; pointer-events: none; }
.phasor-figure .phasor-ring {
  border: 2px solid var(--phasor-ink);
  border-radius: 50%;
  box-shadow: 0 0 0 2px var(--phasor-paper), inset 0 0 0 1px var(--phasor-paper);
}
.phasor-figure .phasor-name {
  padding: 0 0.35rem;
  border: 1px solid var(--phasor-ink);
  border-radius: 3px;
  background: var(--phasor-paper);
  font-size: 0.875rem;
  font-weight: 600;
  line-height: 1.4;
  white-space: pre;
}
.phasor-figure .phasor-scatter-controls {
  display: flex;
  flex-wrap: wrap;
  gap: 0.4rem;
  align-items: center;
  margin-top: 0.4rem;
  font-size: 0.875rem;
}
.phasor-figure .phasor-scatter-controls button {
  min-width: 2.25rem;
  min-height: 2.25rem;
  padding: 0 0.6rem;
  border: 1px solid var(--phasor-quiet);
  border-radius: 4px;
  background: var(--phasor-raised);
  color: inherit;
  font: inherit;
  cursor: pointer;
}
.phasor-figure .phasor-scatter-controls button:focus-visible {
  outline: 3px solid var(--phasor-accent);
  outline-offset: 2px;
}
.phasor-figure .phasor-groups {
  display: flex;
  flex-wrap: wrap;
  gap: 0.2rem 0.9rem;
  margin: 0 0 0 0.6rem;
  padding: 0;
  list-style: none;
}
.phasor-figure .phasor-groups li { display: flex; gap: 0.35rem; align-items: center; }
.phasor-figure .phasor-hint {
  flex: 1 1 100%;
  max-width: none;
  margin: 0;
  color: var(--phasor-quiet);
  font-size: 0.8125rem;
}
@media (pointer: coarse) { .phasor-figure .phasor-mouse { display: none; } }
@media not all and (any-pointer: coarse) { .phasor-figure .phasor-touch { display: none; } }
@media print { .phasor-figure .phasor-scatter-controls :is(button, .phasor-hint) { display: none; } }
`;
