// What every page of the site does.

import { connectCopyButtons } from "./copy.js";
import { keepOffline } from "./offline.js";
import { connectSearch } from "./search/connect.js";
import { linkSections } from "./sections.js";
import { connectThemeSwitch } from "./theme.js";

keepOffline();
connectCopyButtons();
connectThemeSwitch();
connectSearch();
linkSections();
