import type { HttpOptions } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { callNewest, toNewest } from "../../support/http/stateless-request.ts";

describe.each(entries)("$name", (entry) => {
  /** The status of a call with these headers, and whether it reached a handler. */
  const visit = async (headers: Record<string, string | undefined>, options?: HttpOptions) => {
    const { server, entered } = createFixture();
    const { url } = await open(entry, server, options);
    const answer = await callNewest(url, "echo", { text: "x" }, { headers });
    return { status: answer.status, entered: entered(), body: await answer.json(), headers: answer.headers };
  };

  it.each(["localhost", "LOCALHOST:3000", "127.0.0.1", "127.1.2.3:80", "[::1]:8080"])(
    "answers to %s without any setting",
    async (host) => {
      expect(await visit({ host })).toMatchObject({ status: 200, entered: 1 });
    },
  );

  it("answers to the hosts it is told of, with any port or with one", async () => {
    const options = {
      publicUrl: "https://mcp.example.com/mcp",
      allowedHosts: ["Other.example", "third.example:81"],
    };
    for (const host of ["mcp.example.com", "other.example:9", "third.example:81", "localhost"]) {
      expect((await visit({ host }, options)).status).toBe(200);
    }
    for (const host of ["example.com", "third.example", "third.example:82", "mcp.example.com.evil.example"]) {
      expect((await visit({ host }, options)).status).toBe(403);
    }
  });

  it("says in its refusal which setting would let the request in", async () => {
    const host = await visit({ host: "mcp.example.com" });
    expect(host.body.error.message).toBe(
      'Host "mcp.example.com" is not allowed; set publicUrl or allowedHosts to serve it.',
    );
    const origin = await visit({ host: "localhost", origin: "https://app.example.com" });
    expect(origin.body.error.message).toBe(
      'Origin "https://app.example.com" is not allowed; add it to allowedOrigins to serve it.',
    );
    const site = await visit({ "sec-fetch-site": "cross-site" });
    expect(site.body.error.message).toContain("allowedOrigins");
    expect([host.entered, origin.entered, site.entered]).toEqual([0, 0, 0]);
  });

  it("lets its own pages and those of allowed origins in, and shows them the answers", async () => {
    const options = { allowedOrigins: ["https://app.example.com"], publicUrl: "https://mcp.example.com" };
    for (const [host, origin] of [
      ["localhost:3000", "http://localhost:3000"],
      ["localhost", "https://app.example.com"],
      ["mcp.example.com", "https://mcp.example.com"],
    ]) {
      const { status, headers } = await visit({ host, origin, "sec-fetch-site": "cross-site" }, options);
      expect([status, headers["access-control-allow-origin"], headers.vary]).toEqual([200, origin, "Origin"]);
      expect(headers["access-control-expose-headers"]).toContain("Mcp-Session-Id");
    }
  });

  it("shows pages of allowed origins that it has failed", async () => {
    const origin = "https://app.example.com";
    const failing: HttpOptions = {
      allowedOrigins: [origin],
      identify: () => {
        throw new Error("The directory is away");
      },
    };
    const { status, headers } = await visit({ origin }, failing);
    expect([status, headers["access-control-allow-origin"]]).toEqual([500, origin]);
    const other = await visit({}, failing);
    expect([other.status, other.headers["access-control-allow-origin"]]).toEqual([500, undefined]);
  });

  it("shows its answers to no other origin", async () => {
    for (const [host, origin] of [
      ["localhost", "https://evil.example"],
      ["evil.example", "http://evil.example"],
      ["localhost", "null"],
    ]) {
      const { status, headers } = await visit({ host, origin });
      expect([status, headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    }
    expect((await visit({})).headers["access-control-allow-origin"]).toBeUndefined();
  });

  it.each([
    ["localhost:3000", "http://localhost:4000"],
    ["mcp.example.com", "https://app.example.com"],
  ])(
    "shows a page why it is refused at %s, if it may know of the server, and nothing else",
    async (host, origin) => {
      const options = { publicUrl: "https://mcp.example.com/mcp" };
      const { status, headers, body, entered } = await visit({ host, origin }, options);
      expect([status, entered, body.error.message]).toEqual([
        403,
        0,
        expect.stringContaining("allowedOrigins"),
      ]);
      expect(headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
      expect(headers).not.toHaveProperty("access-control-expose-headers");
      const { url } = await open(entry, createFixture().server, options);
      const preflight = { origin, host, "access-control-request-method": "POST" };
      const asked = await exchange(url, { method: "OPTIONS", headers: preflight });
      expect([asked.status, asked.headers["access-control-max-age"]]).toEqual([204, "0"]);
    },
  );

  it("answers preflights of allowed origins only", async () => {
    const { url } = await open(entry, createFixture().server, {
      allowedOrigins: ["https://app.example.com"],
    });
    const preflight = (origin: string) =>
      exchange(url, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type, mcp-method",
        },
      });
    const allowed = await preflight("https://app.example.com");
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      "access-control-allow-origin": "https://app.example.com",
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-headers": "content-type, mcp-method",
    });
    const refused = await preflight("https://evil.example");
    expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
  });

  it("lets a page that may not be shown anything read no error either", async () => {
    const { url } = await open(entry, createFixture().server, {
      allowedOrigins: ["https://app.example.com"],
    });
    const { body, headers } = toNewest("tools/list", {});
    const answer = await exchange(url, {
      body,
      headers: { ...headers, "content-type": "text/plain", origin: "https://app.example.com" },
    });
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([
      415,
      "https://app.example.com",
    ]);
  });
});

describe("serveHttp", () => {
  it.each(["0.0.0.0", "::", "192.168.1.7"])(
    "refuses to listen on %s without saying for whom",
    async (host) => {
      await expect(serveHttp(createFixture().server, { host })).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining("set publicUrl or allowedHosts"),
      });
    },
  );

  it("listens there when it is told its names, and answers to no other", async () => {
    const running = await serveHttp(createFixture().server, { host: "0.0.0.0", allowedHosts: ["mcp.local"] });
    const ask = async (host: string, method: string, path: string) =>
      (await exchange(`http://127.0.0.1:${running.port}${path}`, { method, headers: { host } })).status;
    expect(await ask("mcp.local", "OPTIONS", "/mcp")).toBe(204);
    expect(await ask("evil.example", "OPTIONS", "/mcp")).toBe(403);
    // Whoever watches over it may know only its address.
    expect(await ask("10.0.0.7", "GET", "/health")).toBe(200);
    await running.close();
  });

  it("listens on 127.0.0.1 and a free port unless it is told otherwise", async () => {
    const running = await serveHttp(createFixture().server);
    expect(running.url).toBe(`http://127.0.0.1:${running.port}/mcp`);
    await expect(serveHttp(createFixture().server, { port: running.port })).rejects.toMatchObject({
      code: "usage",
      message: `Can't listen on 127.0.0.1:${running.port}: another program listens there; close it, or choose another port.`,
      cause: { code: "EADDRINUSE" },
    });
    await running.close();
  });
});
