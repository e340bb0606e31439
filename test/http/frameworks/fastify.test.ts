import { createNodeHandler } from "allspeak/node";
import fastify from "fastify";
import { expect, it } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";
import { callNewest, toNewest } from "../../support/http/stateless-request.ts";

it("Fastify serves every revision, beside other routes", async () => {
  const { server } = createFixture();
  const mcp = createNodeHandler(server);
  const app = fastify();
  app.get("/", () => "home");
  app.post("/json", (request) => request.body);
  app.register((scope, _options, done) => {
    // The body stays unread, for the handler.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, skip) => skip(null));
    for (const url of ["/mcp", "/sse", "/messages"]) {
      scope.all(url, (request, reply) => {
        reply.hijack();
        mcp(request.raw, reply.raw);
      });
    }
    done();
  });
  app.addHook("preClose", () => mcp.close());
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });

  expect(await (await exchange(origin)).text()).toBe("home");
  const posted = await exchange(`${origin}/json`, {
    headers: { "content-type": "application/json" },
    body: { a: 1 },
  });
  expect(await posted.json()).toEqual({ a: 1 });
  const answer = await callNewest(`${origin}/mcp`, "echo", { text: "x" });
  expect((await answer.json()).result.content[0].text).toBe("x");
  const session = await openSession(`${origin}/mcp`, "2025-11-25");
  expect(await (await session.call("steps", { count: 2 })).events().messages()).toHaveLength(3);
  const { body, headers } = toNewest("tools/list", {}, { headers: { "content-type": "text/plain" } });
  const plain = await exchange(`${origin}/mcp`, { body, headers });
  expect([plain.status, (await plain.json()).error.code]).toEqual([415, -32600]);
  const events = (await exchange(`${origin}/sse`)).events();
  expect((await events.next())?.data).toMatch(/^\/messages\?/);
  const closed = app.close();
  expect(await events.next()).toBeUndefined();
  await closed;
});
