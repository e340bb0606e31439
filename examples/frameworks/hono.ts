import { once } from "node:events";
import { serve } from "@hono/node-server";
import { createFetchHandler } from "allspeak/http";
import { Hono } from "hono";
import { createGreeter } from "./server.ts";
import { type Site, toOrigin } from "./site.ts";

export async function serveHono(): Promise<Site> {
  const mcp = createFetchHandler(createGreeter("Hono"));
  const app = new Hono();
  app.use("/api/*", mcp); // what mcp does not serve goes to the next handler
  app.get("/", (context) => context.text("The site"));

  // On Deno, Bun and Workers: export default app.
  const http = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await once(http, "listening");
  return {
    origin: toOrigin(http.address()),
    close: async () => {
      await mcp.close();
      http.close();
      await once(http, "close");
    },
  };
}
