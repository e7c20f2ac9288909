// What every page does, whatever else is on it.

import { keepOffline } from "./offline.js";

keepOffline();
