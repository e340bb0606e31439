// A page of one origin uses an MCP server of another:
//   node scripts/run.js examples/browser/main.ts           opens it in Chromium, clicks, and checks what it shows
//   node scripts/run.js examples/browser/main.ts --serve   serves it until Ctrl-C, for a browser of yours
import assert from "node:assert/strict";
import { serveHttp } from "allspeak/node";
import { openPage } from "./chromium.ts";
import { server } from "./server.ts";
import { serveSite } from "./site.ts";

const site = await serveSite();
// Without this line the page is refused: no web page may use a server that does not know it.
const running = await serveHttp(server, { allowedOrigins: [site.origin] });
const url = `${site.origin}/?${new URLSearchParams({ server: running.url })}`;

if (process.argv.includes("--serve")) {
  console.log(`Open ${url}`);
} else {
  const page = await openPage(url);
  // Says yes when the page asks, and waits until the page is done.
  const lines = await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      document.querySelector("dialog[open] button")?.click();
      const lines = [...document.querySelectorAll("li")].map((item) => item.textContent);
      if (/^(Done|Failed)/.test(lines.at(-1))) resolve(lines);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    look();
  })`);
  console.log(lines);
  assert.deepEqual(lines, [
    "Connected in revision 2026-07-28.",
    "Tools: water, harvest.",
    "1 of 3",
    "2 of 3",
    "3 of 3",
    "Picked.",
    "Done.",
  ]);
  await page.close();
  await running.close();
  site.close();
  console.log("All as expected.");
}
