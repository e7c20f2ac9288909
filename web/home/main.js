// The front page. It cuts its sentence into tokens at once; phasor, the word vectors and the figures load
// after that.

/** @import { Settings } from "./settings.js" */
import { follow, values } from "../app/controls.js";
import { showFailure } from "../app/errors.js";
import { preview } from "./preview.js";

let isPreview = true;

function showPreview() {
  if (isPreview) preview(/** @type {Settings} */ (values()));
}

follow(showPreview);
showPreview();
performance.mark("interactive");

const { live } = await import("./live.js").catch((error) => {
  showFailure(error);
  throw error;
});
await live(() => (isPreview = false));
