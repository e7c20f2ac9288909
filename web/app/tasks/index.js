// What the worker can do, by name. A task is an async generator of (phasor, arguments): what it
// yields is progress, what it returns is the result. Between two yields it can be stopped.

import { nearest } from "./nearest.js";
import { pca } from "./pca.js";

export const tasks = Object.freeze({ nearest, pca });
