// The floor of a handler for web platforms: one route of Hono that parses the body and answers it.
import { Hono } from "hono";
import { serveFetch } from "./serve-fetch.ts";

/** The rest of a result of 2026-07-28. */
const newest = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "echo", version: "1.0.0" } },
};

const app = new Hono().post("/mcp", async (context) => {
  const { id, params } = await context.req.json();
  const text = params?.arguments?.text ?? "";
  return context.json({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], ...newest } });
});
serveFetch(async (request) => app.fetch(request));
