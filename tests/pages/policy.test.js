// Pages whose policy forbids WebAssembly are told what to add to it.

import { test } from "node:test";
import { openBrowser } from "./browser.js";
import { checkPolicy } from "./policy.js";

test("policy: without 'wasm-unsafe-eval', the error of load names what to add, in Chromium", async () => {
  const browser = await openBrowser();
  try {
    const { page } = await browser.newPage();
    await checkPolicy(page);
  } finally {
    await browser.close();
  }
});
