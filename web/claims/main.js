// What is often said, and what is so: every verdict follows from numbers that are computed here.

/** @import { Definition } from "../app/page.js" */
import { page } from "../app/page.js";
import { claims } from "./claims/claims.js";
import { evidence } from "./evidence.js";
import "./shared.css";
import "./style.css";
import { reasons, verdictOf } from "./verdict.js";

const all = Object.entries(claims);

/** @type {NonNullable<Definition["pictures"]>} */
const pictures = {};
for (const [name, { picture }] of all) if (picture) pictures[name] = picture;

page({
  pictures,

  facts: Object.fromEntries(
    all.map(([name, { measure, cases }]) => [
      `${name}-cases`,
      async (phasor) => evidence(measure, await cases(phasor)),
    ]),
  ),

  questions: Object.fromEntries(
    all.map(([name, claim]) => [
      name,
      async (phasor) => {
        const cases = await claim.cases(phasor);
        return { answer: verdictOf(cases), because: reasons(cases) };
      },
    ]),
  ),
});
