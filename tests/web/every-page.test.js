// Every page but the lessons, in every way: see every.js.

import { testPages } from "./every.js";
import { isLesson, pages } from "./pages.js";

testPages(
  "every page",
  pages().filter((path) => !isLesson(path)),
);
