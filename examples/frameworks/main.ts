// One server below /api of three web frameworks, beside the pages of the site:
//   node scripts/run.js examples/frameworks/main.ts
import assert from "node:assert/strict";
import { connect } from "allspeak/client";
import { serveExpress } from "./express.ts";
import { serveFastify } from "./fastify.ts";
import { serveHono } from "./hono.ts";

for (const [name, serve] of Object.entries({
  Express: serveExpress,
  Fastify: serveFastify,
  Hono: serveHono,
})) {
  const site = await serve();
  // One session revision, one without sessions: both pass through the framework.
  for (const revision of ["2025-06-18", "2026-07-28"] as const) {
    const client = await connect(`${site.origin}/api/mcp`, { revisions: [revision] });
    const { content } = await client.tools.call("hello");
    console.log(`${site.origin}/api/mcp, ${revision}:`, content);
    assert.deepEqual(content, [{ type: "text", text: `Hello from ${name}` }]);
    await client.close();
  }
  const page = await fetch(site.origin);
  assert.equal(await page.text(), "The site");
  assert.equal((await fetch(`${site.origin}/api/other`)).status, 404);
  await site.close();
}
console.log("All as expected.");
