// The worker of a page: runs the tasks that work.js sends.

import { tasks } from "./tasks/index.js";
import { answer } from "./turns.js";

answer(tasks);
