// The front page. It cuts its sentence into tokens at once; phasor, the word vectors and the figures load
// after that.

/** @import { Settings } from "./settings.js" */
import { follow, values } from "../app/controls.js";
import "./hero.css";
import { showFailure } from "../app/errors.js";
import { heroWords } from "./hero-words.js";
import { preview } from "./preview.js";

let isPreview = true;

function showPreview() {
  if (isPreview) preview(/** @type {Settings} */ (values()));
}

follow(showPreview);
showPreview();
performance.mark("interactive");

void startHero().catch(showFailure);

const { live } = await import("./live.js").catch((error) => {
  showFailure(error);
  throw error;
});
await live(() => (isPreview = false));

/** The figure at the top of the page, with phasor and nothing else. */
async function startHero() {
  const [{ load }, { hero }, words] = await Promise.all([
    import("phasor"),
    import("./hero.js"),
    heroWords(),
  ]);
  hero(await load(), words);
}
