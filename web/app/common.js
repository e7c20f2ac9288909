// What every page of the site does.

import { connectCopyButtons } from "./copy.js";
import { keepOffline } from "./offline.js";

keepOffline();
connectCopyButtons();
