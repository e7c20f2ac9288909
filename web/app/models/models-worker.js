// The worker of one opened model, which keeps its table and answers the page.

import { answer } from "../answer.js";
import { tasks } from "./tasks.js";

answer(tasks);
