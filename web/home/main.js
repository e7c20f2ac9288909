// The front page. Its sentence is cut into tokens at once; phasor, the words' vectors and the pictures
// come after.

import { blame, onchange, read, show } from "./controls.js";
import { preview } from "./preview.js";
import { fromHash } from "./settings.js";

show(fromHash(location.hash));
preview(read());
let isPreview = true;
onchange(() => isPreview && preview(read()));
performance.mark("interactive");

try {
  const { live } = await import("./live.js");
  await live();
  isPreview = false;
} catch (error) {
  blame("tokenizer", /** @type {Error} */ (error).message);
}
