import { createServer, rateLimit } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState } from "allspeak/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { createFixture } from "../support/http/fixture.ts";
import { openSession } from "../support/http/raw-session.ts";
import { askNewest, callNewest } from "../support/http/stateless-request.ts";

const attacker = { "x-forwarded-for": "203.0.113.66" };
const honest = { "x-forwarded-for": "203.0.113.1" };
const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };

describe.each(entries)("B6: requests that are no calls, $name", (entry) => {
  async function serve(calls: number) {
    const { server, entered } = createFixture();
    const options = { trustProxy: 1, limits: { anonymous: { calls } } };
    return { ...(await open(entry, server, options)), entered };
  }

  it("broken bodies count like calls, and beyond the rate nothing of the caller is read any more", async () => {
    const { url } = await serve(3);
    const post = async (body: string) => {
      const answer = await exchange(url, { body, headers: { ...posting, ...attacker } });
      await answer.text();
      return answer.status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 9; n++) statuses.push(await post("{broken"));
    expect(statuses).toEqual([400, 400, 400, 400, 429, 429, 429, 429, 429]);
    const refused = await askNewest(url, "tools/list", {}, { headers: attacker });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
    expect((await askNewest(url, "tools/list", {}, { headers: honest })).status).toBe(200);
  });

  it("notifications, streams and deleted sessions count, too", async () => {
    const { url } = await serve(5);
    const session = await openSession(url, "2025-11-25", { headers: attacker });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await session.notify("notifications/x")).status);
    for (let n = 0; n < 3; n++) statuses.push((await session.get("not an event")).status);
    // One notification said that the session is ready.
    expect(statuses).toEqual([202, 202, 202, 400, 400, 429]);
    expect((await session.delete()).status).toBe(429);
    expect((await askNewest(url, "tools/list", {}, { headers: honest })).status).toBe(200);
  });

  it("a large body counts as many small ones", async () => {
    const { url } = await serve(20);
    const large = { text: "x".repeat(640 * 1024) };
    expect((await callNewest(url, "echo", large, { headers: attacker })).status).toBe(200);
    const statuses = [];
    for (let n = 0; n < 10; n++)
      statuses.push((await callNewest(url, "echo", { text: "x" }, { headers: attacker })).status);
    expect(statuses).toEqual([...Array(9).fill(200), 429]);
  });
});

describe("counters of two servers in one state", () => {
  it("are apart over HTTP, by the names of the servers", async () => {
    const state = memoryState();
    const limits = { rules: [{ calls: 1, by: "all" as const }] };
    const create = (name: string) => {
      const server = createServer({ name, version: "1", log: () => {} });
      server.tool("echo", "Echoes", () => "x");
      return server;
    };
    const [entry] = entries;
    if (entry === undefined) throw new Error("There is no entry.");
    const first = await open(entry, create("first"), { state, limits });
    const second = await open(entry, create("second"), { state, limits });
    const again = await open(entry, create("first"), { state, limits });
    expect((await callNewest(first.url, "echo")).status).toBe(200);
    expect((await callNewest(second.url, "echo")).status).toBe(200);
    expect((await callNewest(again.url, "echo")).status).toBe(503);
  });

  it("are apart in rateLimit, by its name and by what it limits", async () => {
    const { counters } = memoryState();
    const server = createServer({ name: "s", version: "1", log: () => {} });
    server.tool("one", "One", () => "x");
    server.tool("two", "Two", () => "x");
    server.use(rateLimit({ tools: ["one"], calls: 1, counters, name: "s" }));
    server.use(rateLimit({ tools: ["two"], calls: 1, counters, name: "s" }));
    const client = await connect(server);
    onTestFinished(() => client.close());
    await client.tools.call("one");
    await client.tools.call("two");
    await expect(client.tools.call("one")).rejects.toMatchObject({ wireCode: 429 });
  });
});
