import { createFetchHandler, type FetchHandler } from "allspeak/http";
import { type Handler, Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { listenFetch } from "../../support/http/fetch-adapter.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";
import { callNewest } from "../../support/http/stateless-request.ts";

it("Hono serves every revision, beside other routes", async () => {
  const { server } = createFixture();
  const mcp = createFetchHandler(server);
  const app = new Hono();
  app.get("/", (c) => c.text("home"));
  for (const path of ["/mcp", "/sse", "/messages"]) app.all(path, (c) => mcp(c.req.raw));
  const { port, close } = await listenFetch(async (request) => app.fetch(request));
  const origin = `http://127.0.0.1:${port}`;

  expect(await (await exchange(origin)).text()).toBe("home");
  const answer = await callNewest(`${origin}/mcp`, "echo", { text: "x" });
  expect((await answer.json()).result.content[0].text).toBe("x");
  const session = await openSession(`${origin}/mcp`, "2025-11-25");
  expect(await (await session.call("steps", { count: 2 })).events().messages()).toHaveLength(3);
  const events = (await exchange(`${origin}/sse`)).events();
  expect((await events.next())?.data).toMatch(/^\/messages\?/);
  const refused = await callNewest(
    `${origin}/mcp`,
    "echo",
    { text: "x" },
    { headers: { host: "evil.example" } },
  );
  expect(refused.status).toBe(403);
  const closed = mcp.close();
  expect(await events.next()).toBeUndefined();
  await closed;
  await close();
});

describe("a middleware of Hono that has read the body", () => {
  async function serve(handle: (mcp: FetchHandler) => Handler) {
    const mcp = createFetchHandler(createFixture().server);
    const app = new Hono();
    app.use("*", async (c, next) => {
      if (c.req.method === "POST") await c.req.json();
      await next();
    });
    app.all("/mcp", handle(mcp));
    const { port, close } = await listenFetch(async (request) => app.fetch(request));
    onTestFinished(async () => {
      await mcp.close();
      await close();
    });
    return callNewest(`http://127.0.0.1:${port}/mcp`, "echo", { text: "x" });
  }

  it("leaves it to the handler, which gets the context", async () => {
    const answer = await serve((mcp) => mcp);
    expect((await answer.json()).result.content[0].text).toBe("x");
  });

  it("is named where the handler gets the request alone", async () => {
    const answer = await serve((mcp) => (c) => mcp(c.req.raw));
    expect(answer.status).toBe(500);
    expect((await answer.json()).error.message).toContain("has read the body before this handler");
  });
});
