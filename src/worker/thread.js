/** The script of the worker, the entry phasor/worker-thread. It exports nothing. */
import { load } from "../index.js";
import { serve } from "./serve.js";

serve(load);
