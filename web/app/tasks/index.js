// The tasks of the worker, by name. A task is an async generator of (phasor, arguments). It yields its progress and
// returns its result. It can be stopped between two yields.

import { align } from "./align.js";
import { nearest } from "./nearest.js";
import { pca } from "./pca.js";
import { umap } from "./umap.js";

export const tasks = Object.freeze({ align, nearest, pca, umap });
