// `npm run x -- test:webkit`: the package and every page in WebKit, Safari's engine. On Debian that is
// WebKitGTK (packages webkit2gtk-driver and xvfb), on macOS Safari itself (once: safaridriver --enable).

import { build } from "../package/build.js";
import { buildPage } from "../site/page.js";
import { run, runScript } from "../setup/run.js";
import { project } from "../setup/setup.js";

/** WebKitGTK opens a window, which needs a display. */
const isMac = process.platform === "darwin";
const [command, ...before] = isMac
  ? [process.execPath]
  : ["xvfb-run", "--auto-servernum", process.execPath];

await runScript(async () => {
  const tools = await build({ types: false });
  await buildPage(tools);
  const runner = ["--test", "--test-reporter=spec", "tests/pages/webkit.js"];
  await run(command, [...before, ...runner], {
    cwd: project,
    env: { ...tools.env, PHASOR_WEBDRIVER: isMac ? "safaridriver" : "WebKitWebDriver" },
  });
});
