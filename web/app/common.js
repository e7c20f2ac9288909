// What every page does, whatever else is on it.

import { letCopy } from "./copy.js";
import { keepOffline } from "./offline.js";

keepOffline();
letCopy();
