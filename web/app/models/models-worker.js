// One opened model: its table of words in this worker's memory, and what the page asks of it.

import { answer } from "../turns.js";
import { tasks } from "./tasks.js";

answer(tasks);
