// The handlers below a path of a framework, which nobody has to repeat.
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bearer, oauth } from "allspeak/auth";
import { serveDevAuth } from "allspeak/auth/dev";
import { connect } from "allspeak/client";
import { createFetchHandler, type HttpOptions } from "allspeak/http";
import { createNodeHandler } from "allspeak/node";
import express, { type Express } from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { listenFetch } from "../../support/http/fetch-adapter.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";
import { callNewest } from "../../support/http/stateless-request.ts";

const { server } = createFixture();

/** Serves below `/api`, beside a home page and a catch-all. Returns the origin. */
type Mount = (options?: (origin: string) => HttpOptions) => Promise<string>;

const mountInExpress =
  (mount: (app: Express, mcp: ReturnType<typeof createNodeHandler>) => void): Mount =>
  async (options) => {
    const app = express();
    const http = createHttpServer(app);
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const mcp = createNodeHandler(server, options?.(origin));
    app.get("/", (_, response) => void response.send("home"));
    mount(app, mcp);
    app.use((_, response) => void response.status(418).send("the next handler"));
    onTestFinished(async () => {
      await mcp.close(0);
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    });
    return origin;
  };

const mountInFastify =
  (pattern: string): Mount =>
  async (options) => {
    const app = fastify();
    let mcp: ReturnType<typeof createNodeHandler> | undefined;
    app.get("/", () => "home");
    app.setNotFoundHandler((_, reply) => reply.status(418).send("the next handler"));
    app.register(
      (scope, _, done) => {
        scope.all(pattern, (request, reply) => mcp?.(request, reply));
        done();
      },
      { prefix: "/api" },
    );
    const origin = await app.listen({ port: 0, host: "127.0.0.1" });
    mcp = createNodeHandler(server, options?.(origin));
    onTestFinished(async () => {
      await mcp?.close(0);
      app.server.closeAllConnections();
      await app.close();
    });
    return origin;
  };

const mountInHono =
  (mount: (app: Hono, mcp: ReturnType<typeof createFetchHandler>) => void): Mount =>
  async (options) => {
    const app = new Hono();
    const { port, close } = await listenFetch(async (request) => app.fetch(request));
    const origin = `http://127.0.0.1:${port}`;
    const mcp = createFetchHandler(server, options?.(origin));
    app.get("/", (c) => c.text("home"));
    mount(app, mcp);
    app.all("*", (c) => c.text("the next handler", 418));
    onTestFinished(async () => {
      await mcp.close(0);
      await close();
    });
    return origin;
  };

const belowPath: readonly (readonly [string, Mount])[] = [
  ["Express, app.use", mountInExpress((app, mcp) => app.use("/api", mcp))],
  ["Express, a router", mountInExpress((app, mcp) => app.use("/api", express.Router().use(mcp)))],
  ["Fastify, a plugin with a prefix", mountInFastify("/*")],
  ["Hono, app.use", mountInHono((app, mcp) => app.use("/api/*", mcp))],
  ["Hono, app.route", mountInHono((app, mcp) => app.route("/api", new Hono().all("/*", mcp)))],
];

const atPath: readonly (readonly [string, Mount])[] = [
  ["Express, app.all", mountInExpress((app, mcp) => app.all("/api/mcp", mcp))],
  ["Express, app.use", mountInExpress((app, mcp) => app.use("/api/mcp", mcp))],
  ["Fastify", mountInFastify("/mcp")],
  ["Hono", mountInHono((app, mcp) => app.all("/api/mcp", mcp))],
];

describe.each(belowPath)("below a path in %s", (_, mount) => {
  it("serves every revision there, and leaves everything else to the next handler", async () => {
    const origin = await mount();
    const answer = await callNewest(`${origin}/api/mcp`, "echo", { text: "x" });
    expect((await answer.json()).result.content[0].text).toBe("x");
    const session = await openSession(`${origin}/api/mcp`, "2025-11-25");
    expect(await (await session.call("steps", { count: 2 })).events().messages()).toHaveLength(3);
    const events = (await exchange(`${origin}/api/sse`)).events();
    expect((await events.next())?.data).toMatch(/^\/api\/messages\?/);
    events.cut();
    expect((await exchange(`${origin}/api/health`)).status).toBe(200);
    expect(await (await exchange(origin)).text()).toBe("home");
    for (const path of ["/mcp", "/api", "/api/other", "/other/mcp", "/api/x/mcp"])
      expect([path, (await callNewest(origin + path, "echo", { text: "x" })).status]).toEqual([path, 418]);
  });

  it("logs clients in, with the documents below the same path", async () => {
    const login = await serveDevAuth({ autoApprove: true });
    onTestFinished(() => login.close());
    const auth = bearer({ issuer: login.issuer });
    const origin = await mount((at) => ({ publicUrl: `${at}/api/mcp`, auth }));
    const challenge = (await callNewest(`${origin}/api/mcp`, "echo")).headers["www-authenticate"];
    expect(challenge).toContain(`"${origin}/api/.well-known/oauth-protected-resource/mcp"`);
    const authorize = async (url: URL) =>
      (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
    const redirectUri = "http://127.0.0.1:9/callback";
    const client = await connect(`${origin}/api/mcp`, { auth: oauth({ authorize, redirectUri }) });
    const { content } = await client.tools.call("whoami", {});
    expect(content).toEqual([{ type: "text", text: expect.stringContaining('"subject":"dev"') }]);
    await client.close();
  });
});

describe.each(atPath)("at one path in %s", (_, mount) => {
  it("serves the endpoint there, and nowhere else", async () => {
    const origin = await mount();
    expect((await callNewest(`${origin}/api/mcp`, "echo", { text: "x" })).status).toBe(200);
    expect((await callNewest(`${origin}/mcp`, "echo", { text: "x" })).status).toBe(418);
  });
});

it("no path before the endpoint counts that no router and no public URL named: it could go around a check", async () => {
  const origin = await mountInExpress((app, mcp) => {
    app.use("/mcp", (_, response) => void response.status(401).send());
    app.use(mcp);
  })();
  for (const [path, status] of [
    ["/mcp", 401],
    ["/mcp/", 401],
    ["/x/mcp", 418],
    ["//mcp", 418],
  ] as const)
    expect([path, (await callNewest(origin + path, "echo", { text: "x" })).status]).toEqual([path, status]);
});
