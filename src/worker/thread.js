/** The worker itself: the entry phasor/worker-thread, which is run, not imported from. */
import { load } from "../index.js";
import { serve } from "./serve.js";

serve(load);
