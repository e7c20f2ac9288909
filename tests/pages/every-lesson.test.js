// Lessons: see every.js. By day a part of them, since lessons/ tests each one, and one in every way. More than 20 s of CPU: of
// each of these some questions are given each answer.

import { sampled } from "../sample.js";
import { testPages } from "./every.js";
import { isExample, isLesson, pages } from "./pages.js";

const all = pages().filter(isLesson);
const others = all.filter((path) => !isExample(path));
testPages("every lesson", [...all.filter(isExample), ...sampled(others, 1 / 8)]);
