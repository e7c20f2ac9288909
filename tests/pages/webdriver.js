// A browser behind the WebDriver protocol, which WebKitGTK and Safari speak.
// https://www.w3.org/TR/webdriver2/

import { spawn } from "node:child_process";
import { createServer } from "node:net";

/** Milliseconds until the driver must answer. */
const PATIENCE = 20_000;

/** @returns {Promise<number>} a port that is free */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/**
 * Starts a driver and opens a window.
 *
 * @param {string} command  WebKitWebDriver or safaridriver
 * @returns {Promise<{
 *   version: string,
 *   goto: (address: string) => Promise<unknown>,
 *   evaluate: (work: Function, given?: unknown) => Promise<any>,
 *   close: () => Promise<void>,
 * }>} `evaluate` awaits the function's result
 */
export async function openWebDriver(command) {
  const port = await freePort();
  const driver = spawn(command, ["-p", String(port)], { stdio: "ignore" });
  const failed = new Promise((_, reject) => driver.once("error", reject));
  const root = `http://127.0.0.1:${port}`;

  /** @param {"GET" | "POST" | "DELETE"} method @param {string} path @param {object} [body] */
  async function send(method, path, body) {
    const response = await fetch(root + path, {
      method,
      headers: { "Content-Type": "application/json" },
      body: method === "POST" ? JSON.stringify(body ?? {}) : undefined,
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  const ready = async () => {
    const end = performance.now() + PATIENCE;
    for (;;) {
      try {
        return await send("GET", "/status");
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((next) => setTimeout(next, 50));
      }
    }
  };
  try {
    await Promise.race([ready(), failed]);
    const { sessionId, capabilities } = await send("POST", "/session", {
      capabilities: { alwaysMatch: { timeouts: { script: 60_000, pageLoad: 60_000 } } },
    });
    const session = `/session/${sessionId}`;
    return {
      version: `${capabilities.browserName} ${capabilities.browserVersion}`,
      goto: (url) => send("POST", `${session}/url`, { url }),
      async evaluate(work, given) {
        const script = `
          const done = arguments[arguments.length - 1];
          Promise.resolve((${work})(arguments[0])).then(
            (value) => done({ value }),
            (error) => done({ error: String(error) }),
          );
        `;
        const args = given === undefined ? [null] : [given];
        const result = await send("POST", `${session}/execute/async`, { script, args });
        if (result.error !== undefined) throw new Error(result.error);
        return result.value;
      },
      async close() {
        await send("DELETE", session);
        driver.kill();
      },
    };
  } catch (error) {
    driver.kill();
    throw error;
  }
}
