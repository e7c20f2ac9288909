// The worker that lays out a map by UMAP.

import { answer } from "./answer.js";
import { umap } from "./umap.js";

answer({ umap });
