// Every page but the lessons: see every.js. It takes about 45 seconds of processor time, since there are more than 70
// pages, and axe reads most of them.

import { testPages } from "./every.js";
import { isLesson, pages } from "./pages.js";

testPages(
  "every page",
  pages().filter((path) => !isLesson(path)),
);
