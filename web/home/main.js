// The front page: first its first figure, with phasor and only three words; after its answer the path from the
// reader's sentence to a tensor.

/** @import { Settings } from "./settings.js" */
import { follow } from "../app/controls.js";
import "./hero.css";
import "./road.css";
import { showFailure } from "../app/errors.js";
import { heroWords } from "./hero-words.js";
import { explain } from "./parts.js";
import { shownFor } from "./settings.js";

/** What is typed while the page loads is kept: from here on the controls are followed. */
const { tokenizer } = /** @type {Settings} */ (follow(() => {}));

explain(tokenizer, shownFor(tokenizer, false));
await startHero().catch(showFailure);
performance.mark("interactive");
document.documentElement.dataset.answered = "";

const { live } = await import("./live.js").catch((error) => {
  showFailure(error);
  throw error;
});
await live();

/** The figure at the top of the page, with phasor and nothing else. */
async function startHero() {
  const [{ load }, { hero }, words] = await Promise.all([
    import("phasor"),
    import("./hero.js"),
    heroWords(),
  ]);
  hero(await load(), words);
}
