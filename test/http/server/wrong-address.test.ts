import { createServer } from "allspeak";
import { bearer } from "allspeak/auth";
import type { HttpOptions } from "allspeak/http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Entry, entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { callNewest } from "../../support/http/stateless-request.ts";

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

async function serve(entry: Entry, options?: HttpOptions) {
  const { server, reports } = createFixture();
  return { ...(await open(entry, server, options)), reports };
}

afterEach(() => vi.useRealTimers());

describe.each(entries)("$name", (entry) => {
  it("serves the endpoint with a slash at its end, too", async () => {
    const { url } = await serve(entry);
    expect((await callNewest(`${url}/`, "echo", { text: "x" })).status).toBe(200);
  });

  it("serves the path of its public URL, with or without what a proxy removes", async () => {
    const { origin } = await serve(entry, { publicUrl: "https://example.com/tools/mcp" });
    for (const path of ["/tools/mcp", "/tools/mcp/", "/mcp"])
      expect((await callNewest(origin + path, "echo", { text: "x" })).status).toBe(200);
    expect((await callNewest(`${origin}/other/mcp`, "echo", { text: "x" })).status).toBe(404);
    expect((await exchange(`${origin}/tools/health`)).status).toBe(200);
  });

  it("names the endpoint to a client that has missed it", async () => {
    const { origin } = await serve(entry);
    const missed = await callNewest(`${origin}/api/mcp`, "echo", { text: "x" });
    expect([missed.status, (await missed.json()).error.message]).toEqual([
      404,
      'There is nothing at "/api/mcp"; the MCP endpoint of this server is /mcp.',
    ]);
    const posted = await callNewest(`${origin}/sse`, "echo", { text: "x" });
    expect([posted.status, posted.headers.allow]).toEqual([405, "GET"]);
    expect((await posted.json()).error.message).toContain("the MCP endpoint of this server is /mcp");
    const without = await serve(entry, { sse: false, path: "/here" });
    const answer = await callNewest(`${without.origin}/sse`, "echo", { text: "x" });
    expect((await answer.json()).error.message).toContain("the MCP endpoint of this server is /here");
  });

  it.each(["/mcp", "/mcp/", "/sse"])("shows a page in words to a person who opens %s", async (path) => {
    const server = createServer({ name: '<script>alert("x")</script>', version: "1" });
    const { origin } = await open(entry, server, { publicUrl: "https://example.com/mcp" });
    const headers = { ...browser, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const answer = await exchange(origin + path, { headers });
    expect([answer.status, answer.type]).toEqual([200, "text/html; charset=utf-8"]);
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    const page = await answer.text();
    expect(page).toContain("https://example.com/mcp");
    expect(page).toContain("&lt;script&gt;");
    expect(page).not.toContain("<script");
  });

  it("shows the page under no other host, and keeps the name of a server that needs a login", async () => {
    const { url } = await serve(entry);
    const elsewhere = await exchange(url, { headers: { ...browser, host: "evil.example" } });
    expect([elsewhere.status, elsewhere.type]).toEqual([403, "application/json"]);
    const auth = bearer({ issuer: "https://login.example.com" });
    const closed = await serve(entry, { auth, publicUrl: "https://example.com/mcp" });
    const page = await (await exchange(closed.url, { headers: browser })).text();
    expect(page).toContain("MCP server");
    expect(page).not.toContain("fixture");
  });

  it("answers a client as before, whatever else it accepts", async () => {
    const { url } = await serve(entry);
    const headers = { accept: "application/json, text/event-stream, text/html" };
    expect((await exchange(url, { headers })).type).toBe("application/json");
    expect((await callNewest(url, "echo", { text: "x" }, { headers: browser })).type).toBe(
      "application/json",
    );
  });

  it("logs refused requests, but not every one of a flood", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const { origin, reports } = await serve(entry);
    const refuse = async (headers: Record<string, string>, path = "/mcp") => {
      await (await callNewest(origin + path, "echo", { text: "x" }, { headers })).text();
    };
    for (let n = 0; n < 20; n++) await refuse({ host: "evil.example" });
    await refuse({ origin: "https://page.example" });
    await refuse({}, "/wrong");
    const logged = () => reports.splice(0).map(({ message }) => message);
    const from = /from (127\.0\.0\.1|an unknown address)/;
    expect(logged()).toEqual([
      expect.stringMatching(
        /^POST "\/mcp" .* was refused: Host "evil\.example" is not allowed; set publicUrl/,
      ),
      expect.stringMatching(/Origin "https:\/\/page\.example" is not allowed; add it to allowedOrigins/),
      expect.stringMatching(/^POST "\/wrong" .* was refused: the MCP endpoint of this server is \/mcp\.$/),
    ]);
    vi.setSystemTime(10_000);
    await refuse({ host: "evil.example" });
    expect(logged()).toEqual([expect.stringMatching(from)]);
    vi.setSystemTime(20_000);
    for (let n = 0; n < 3; n++) await refuse({ host: "evil.example" });
    vi.setSystemTime(30_000);
    await refuse({ host: "evil.example" });
    expect(logged().at(-1)).toMatch(/ 2 more of this kind were not logged\.$/);
  });

  it("says once that a proxy on this machine hides the addresses of strangers", async () => {
    const headers = { "x-forwarded-for": "203.0.113.1" };
    const { url, reports } = await serve(entry);
    for (let n = 0; n < 3; n++) await callNewest(url, "echo", { text: "x" }, { headers });
    // A fetch handler is not told the address of a connection, so it has nothing to compare with.
    const isKnown = entry.name !== "createFetchHandler";
    const expected = isKnown
      ? [expect.stringMatching(/came through a proxy, and has no limits; set trustProxy\.$/)]
      : [];
    expect(reports.map(({ message }) => message)).toEqual(expected);
    const trusting = await serve(entry, { trustProxy: 1 });
    await callNewest(trusting.url, "echo", { text: "x" }, { headers });
    expect(trusting.reports).toEqual([]);
  });

  it("logs credentials that are refused, and not a first request without any", async () => {
    const auth = bearer({ verify: () => undefined, audience: "https://example.com/mcp" });
    const { url, reports } = await serve(entry, { auth, publicUrl: "https://example.com/mcp" });
    expect((await callNewest(url, "echo")).status).toBe(401);
    expect(reports).toEqual([]);
    await callNewest(url, "echo", {}, { headers: { authorization: "Bearer wrong" } });
    expect(reports.map(({ message }) => message)).toEqual([
      expect.stringContaining("was refused with 401: "),
    ]);
    expect(JSON.stringify(reports)).not.toContain("wrong");
  });
});
