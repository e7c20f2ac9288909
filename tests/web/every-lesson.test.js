// Every lesson, in every way: see every.js.

import { testPages } from "./every.js";
import { isLesson, pages } from "./pages.js";

testPages("every lesson", pages().filter(isLesson));
