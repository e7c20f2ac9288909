declare module "subset-font" {
  /** A font with the characters of a text and the given axes. */
  export default function subset(
    font: Uint8Array,
    text: string,
    options: {
      targetFormat: "woff2";
      variationAxes: Record<string, number | { min: number; max: number }>;
    },
  ): Promise<Uint8Array>;
}
