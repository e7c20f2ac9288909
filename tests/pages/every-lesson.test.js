// Every lesson: see every.js. More than 20 s of CPU: some questions of each lesson are given each answer, and one lesson is
// tested in every way.

import { testPages } from "./every.js";
import { isLesson, pages } from "./pages.js";

testPages("every lesson", pages().filter(isLesson));
