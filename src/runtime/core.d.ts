// What the build provides under these names (scripts/package/build.js).

declare module "phasor-core/binary" {
  /** The core's bytes, or where they are. */
  export function binary(): Promise<BufferSource | URL>;
}

declare module "phasor-core/blocks" {
  /** The functions of a core that take a block of arguments: each writes its block and calls the core's own. */
  export function blocks(raw: object, core: object): object;
}

declare module "phasor-core/deflated" {
  /** core.wasm, deflated, in base64. */
  const deflated: string;
  export default deflated;
}

declare module "phasor-core/file" {
  /** core.wasm, as the host has compiled it. */
  const core: WebAssembly.Module;
  export default core;
}
