// The museum of bugs: each exhibit asks first, then its switch turns the bug on in numbers that are computed here.

/** @import { Definition } from "../app/page.js" */
import { page } from "../app/page.js";
import { turn } from "../claims/board.js";
import "../claims/shared.css";
import { exhibits } from "./exhibits/exhibits.js";
import { stripOf } from "./strip.js";
import "./style.css";

/** @type {NonNullable<Definition["pictures"]>} */
const pictures = {};
/** @type {NonNullable<Definition["facts"]>} */
const facts = {};
/** @type {NonNullable<Definition["questions"]>} */
const questions = {};

for (const [name, { judge, value, picture, strip, facts: more }] of Object.entries(exhibits)) {
  const control = `${name}-bug`;
  facts[`${name}-value`] = (phasor, controls) => value(phasor, controls[control]);
  Object.assign(facts, more);
  if (picture) pictures[name] = (phasor, controls) => picture(phasor, controls[control]);
  if (strip)
    facts[`${name}-strip`] = (phasor, controls) => stripOf(strip(phasor, controls[control]));
  questions[name] = judge;
}

page({
  pictures,
  facts,
  questions,
  begin({ cell }) {
    for (const name of Object.keys(exhibits)) {
      cell(
        (_, made) => made.guess[name] !== undefined,
        (/** @type {boolean} */ isSeen) => (isSeen ? turn(name, "seen", "seen") : turn(name)),
      );
    }
  },
});
