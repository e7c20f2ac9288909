// What is often said, and whether it is true: every verdict follows from numbers that are computed here.

/** @import { Phasor } from "phasor" */
/** @import { Definition } from "../app/page.js" */
/** @import { Case } from "./verdict.js" */
import { page } from "../app/page.js";
import { turn } from "./board.js";
import { claims } from "./claims/claims.js";
import { evidence } from "./evidence.js";
import "./shared.css";
import "./style.css";
import { NAMES, reasons, verdictOf } from "./verdict.js";

const all = Object.entries(claims);

/** @type {NonNullable<Definition["pictures"]>} */
const pictures = {};
for (const [name, { picture }] of all) if (picture) pictures[name] = picture;

/** The cases of the claims that were voted on. @type {Map<string, readonly Case[]>} */
const computed = new Map();

/** @param {Phasor} phasor @param {string} name */
async function casesOf(phasor, name) {
  const cases = computed.get(name) ?? (await claims[name].cases(phasor));
  computed.set(name, cases);
  return cases;
}

/** The cases of a claim that was voted on: its card shows the verdict. @param {Phasor} phasor @param {string} name */
async function turned(phasor, name) {
  const cases = await casesOf(phasor, name);
  const verdict = verdictOf(cases);
  turn(name, verdict, NAMES[verdict]);
  return cases;
}

page({
  pictures,

  facts: Object.fromEntries(
    all.flatMap(([name, { measure, facts = {} }]) => [
      [
        `${name}-cases`,
        async (phasor, _, { guess }) => {
          if (guess[name] !== undefined) return evidence(measure, await turned(phasor, name));
          turn(name);
          return "";
        },
      ],
      ...Object.entries(facts),
    ]),
  ),

  questions: Object.fromEntries(
    all.map(([name]) => [
      name,
      async (phasor) => {
        const cases = await casesOf(phasor, name);
        return { answer: verdictOf(cases), because: reasons(cases) };
      },
    ]),
  ),
});
