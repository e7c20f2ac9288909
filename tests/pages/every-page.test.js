// Every page but the lessons: see every.js. It takes about 45 seconds of processor time, since there are more than 70
// pages, and axe reads most of them.

import { sampled } from "../sample.js";
import { testPages } from "./every.js";
import { isAlike, isLesson, pages } from "./pages.js";

/** Of pages in one mould a part, since smoke.test.js opens each. */
const alike = new Set(sampled(pages().filter(isAlike), 1 / 4));

testPages(
  "every page",
  pages().filter((path) => !isLesson(path) && (!isAlike(path) || alike.has(path))),
);
