// `npm start`: sets up, builds changed parts, and serves the page on this machine.

import { build } from "../package/build.js";
import { buildPage, page } from "./page.js";
import { serve } from "./serve.js";
import { runScript } from "../setup/run.js";

/** The port in the address, or the next one that is free. */
const PORT = 8080;

await runScript(async () => {
  const tools = await build({ types: false });
  await buildPage(tools);
  const { url, close } = await serveFrom(PORT);
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.once(signal, close);
  console.log("The page is served until Ctrl-C at");
  console.log(url);
});

/** @param {number} port @returns {ReturnType<typeof serve>} */
async function serveFrom(port) {
  try {
    return await serve(page, { port });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "EADDRINUSE" && port < PORT + 100) return serveFrom(port + 1);
    throw error;
  }
}
