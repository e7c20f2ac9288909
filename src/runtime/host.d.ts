// Types of the host that declarations name. Where TypeScript's library has no DOM, as in many projects for Node, these
// stand for them; where it has, they add nothing to its own. scripts/package/build.js has the declarations refer to them.

interface Cache {}
interface CustomElementConstructor {}
interface Document {}
interface Element {}
interface HTMLCanvasElement {}
interface HTMLDivElement {}
interface HTMLElement {}
interface MessagePort {}
interface Node {}
interface SVGElement {}
interface SVGSVGElement {}
interface Worker {}

interface SymbolConstructor {
  readonly dispose: unique symbol;
  readonly asyncDispose: unique symbol;
}

declare namespace WebAssembly {
  interface Module {}
}
