// Every page but the lessons: see every.js. More than 20 s of CPU: there are some 30 pages, most of which axe reads.

import { sampled } from "../sample.js";
import { testPages } from "./every.js";
import { isAlike, isExample, isLesson, pages } from "./pages.js";

const all = pages().filter((path) => !isLesson(path));
/** Of pages in one mould and of guides a part, since smoke.test.js opens each. */
const some = [
  ...sampled(all.filter(isAlike), 0),
  ...sampled(all.filter((path) => !isAlike(path) && !isExample(path)), 1 / 8), // prettier-ignore
];

testPages("every page", [...all.filter(isExample), ...some]);
