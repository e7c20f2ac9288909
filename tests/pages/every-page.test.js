// Every page but the lessons: see every.js. More than 20 s of CPU: there are some 50 pages, and axe reads half of them.

import { sampled } from "../sample.js";
import { testPages } from "./every.js";
import { isAlike, isLesson, pages } from "./pages.js";

/** Of pages in one mould a part, since smoke.test.js opens each. */
const alike = new Set(sampled(pages().filter(isAlike), 1 / 8));

testPages(
  "every page",
  pages().filter((path) => !isLesson(path) && (!isAlike(path) || alike.has(path))),
);
