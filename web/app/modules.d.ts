// What the build makes of imports that are no JavaScript, and what it writes above the service worker.

declare module "*?worker&url" {
  const url: string;
  export default url;
}

declare module "*.css";

declare module "*?raw" {
  /** The text of the file. */
  const text: string;
  export default text;
}

declare module "virtual:packages" {
  /** Name -> address of the ES module. */
  const addresses: Readonly<Record<string, string>>;
  export default addresses;
}

declare module "virtual:accuracy" {
  /** Errors measured when the site was built. */
  const charts: import("../../scripts/data/accuracy.js").Charts;
  export default charts;
}

declare module "virtual:performance" {
  /** Time against size, as the recorded run of the bench has it; empty if it does not. */
  const scaling: readonly import("../../scripts/bench/scaling.js").Scaling[];
  export default scaling;
}

declare const VERSION: string;
declare const FILES: Readonly<Record<string, string>>;
declare const FRAME_POLICY: string;
