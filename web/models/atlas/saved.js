// The poster as a file, in the theme of the page. The build has written it.

import { make } from "../../app/dom.js";

function theme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return document.documentElement.dataset.theme ?? system;
}

async function svg() {
  const answer = await fetch(new URL(`poster-${theme()}.svg`, location.href));
  if (!answer.ok) throw new Error(`The poster could not be loaded (${answer.status}).`);
  return answer.text();
}

/** @type {import("../../app/exports.js").Saved} */
export const saved = {
  svg,
  async png({ scale }) {
    const blob = new Blob([await svg()], { type: "image/svg+xml" });
    const image = new Image();
    image.src = URL.createObjectURL(blob);
    try {
      await image.decode();
      const size = { width: image.width * scale, height: image.height * scale };
      const canvas = /** @type {HTMLCanvasElement} */ (make("canvas", size));
      canvas.getContext("2d")?.drawImage(image, 0, 0, size.width, size.height);
      const png = await new Promise((/** @type {BlobCallback} */ done) => canvas.toBlob(done));
      if (!png) throw new Error("This browser cannot write the picture.");
      return png;
    } finally {
      URL.revokeObjectURL(image.src);
    }
  },
};
