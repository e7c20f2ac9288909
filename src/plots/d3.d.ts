// The little that the figures use of D3, which ships without declarations.

declare module "d3-scale" {
  export interface ScaleContinuous {
    (value: number): number;
    invert(value: number): number;
    domain(): number[];
    domain(domain: readonly [number, number]): this;
    range(range: readonly [number, number]): this;
    ticks(count: number): number[];
  }
  export function scaleLinear(): ScaleContinuous;
  export function scaleLog(): ScaleContinuous;
}

declare module "d3-scale-chromatic" {
  /** From red (0) over white (0.5) to blue (1), as `rgb(r, g, b)`. */
  export function interpolateRdBu(t: number): string;
  /** From dark blue (0) over gray to yellow (1), as `rgb(r, g, b)`. */
  export function interpolateCividis(t: number): string;
}
