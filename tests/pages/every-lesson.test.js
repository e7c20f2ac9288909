// Every lesson: see every.js. It takes about 60 seconds of processor time, since each question of each lesson is given
// each answer, and two lessons are tested in every way.

import { testPages } from "./every.js";
import { isLesson, pages } from "./pages.js";

testPages("every lesson", pages().filter(isLesson));
