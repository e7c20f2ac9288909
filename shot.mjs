import { serve } from "./scripts/serve.js"; import { openBrowser } from "./tests/web/browser.js";
const server = await serve("build/plots"); const browser = await openBrowser();
for (const [width, colorScheme] of [[1000,"light"],[1000,"dark"],[360,"light"],[360,"dark"]]) {
  const { page, problems } = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  await page.goto(server.url); await page.waitForFunction(() => "plots" in globalThis);
  const svg = await page.evaluate(async () => {
    document.documentElement.style.fontFamily = "system-ui";
    const m = Array.from({length: 24}, (_, i) => Array.from({length: 64}, (_, j) => j % 2 ? Math.cos(i / 10000**((j-1)/64)) : Math.sin(i/10000**(j/64))));
    const f = plots.heatmap(m, {title: "Sinusoids", rowTitle: "position (tokens)", columnTitle: "dimension", framed: 5, marks: [[2,30]]});
    f.value = {row: 7, column: 40};
    const b = Array.from({length: 8}, (_, h) => Array.from({length: 16}, (_, q) => Array.from({length: 16}, (_, k) => k > q ? -Infinity : -(q-k)/2**(h+1))));
    const g = plots.bias(b, {title: "ALiBi", unit: "nats"}); g.value = {row: 7, column: 3};
    const s = plots.heatmap([[1,2,3],[4,5,NaN]], {colours: "sequential", rowLabels: ["the", "antidisestablishmentarianism"], columnLabels: ["a","b","c"], title: "Scores"});
    document.querySelector("main").append(f, g, s);
    s.querySelector("details").open = true;
    await new Promise((r) => setTimeout(r, 300));
    return [f.svg(), g.svg(), s.svg()];
  });
  await page.screenshot({ path: `/tmp/ph-plots-${width}-${colorScheme}.png`, fullPage: true });
  console.log(problems);
  if (width === 1000 && colorScheme === "light") {
    const other = await browser.newPage({ viewport: { width: 700, height: 900 } });
    await other.page.setContent(svg.join("<br>")); await other.page.screenshot({ path: "/tmp/ph-plots-svg.png", fullPage: true });
  }
}
await browser.close(); await server.close();
