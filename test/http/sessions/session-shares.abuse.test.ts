import { createServer, tool } from "allspeak";
import { describe, expect, it } from "vitest";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession, toInitialize } from "../../support/http/raw-session.ts";

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const posting = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const attacker = "203.0.113.66";

/** Opens sessions without using them; returns the answers' statuses. */
async function flood(url: string, times: number, headers: Record<string, string>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) {
    const answer = await exchange(url, {
      body: toInitialize("2025-11-25"),
      headers: { ...posting, ...headers },
    });
    statuses.push(answer.status);
    await answer.text();
  }
  return statuses;
}

describe.each(entries)("shares of sessions, $name", (entry) => {
  it("an address that opens more sessions than there is room for loses its own, and nobody else's", async () => {
    const { url } = await open(entry, createFixture().server, { trustProxy: 1, sessions: { max: 6 } });
    const neighbours = [
      await openSession(url, "2025-11-25", from("203.0.113.1")),
      await openSession(url, "2025-11-25", from("203.0.113.1")),
      await openSession(url, "2025-11-25", from("203.0.113.2")),
    ];
    const first = await openSession(url, "2025-11-25", from(attacker));
    const statuses = await flood(url, 20, from(attacker).headers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    for (const neighbour of neighbours) expect((await neighbour.ask("ping")).status).toBe(200);
    const late = await openSession(url, "2025-11-25", from("203.0.113.3"));
    expect((await late.ask("ping")).status).toBe(200);
    expect((await first.ask("ping")).status).toBe(200);
  });

  it("a principal that opens more sessions than there is room for evicts no other principal, from one address", async () => {
    const identify = (request: { header(name: string): string | undefined }) => {
      const subject = request.header("authorization");
      return subject === undefined ? undefined : { issuer: "https://id.example", subject };
    };
    const { url } = await open(entry, createFixture().server, { identify, sessions: { max: 4 } });
    const anna = await openSession(url, "2025-11-25", { headers: { authorization: "anna" } });
    await flood(url, 12, { authorization: "mallory" });
    expect((await anna.ask("ping")).status).toBe(200);
  });

  it("sessions that were opened and never used go before one in use, also where all share one address", async () => {
    const { url } = await open(entry, createFixture().server, { sessions: { max: 4 } });
    const used = await openSession(url, "2025-11-25");
    await flood(url, 12, {});
    expect((await used.ask("ping")).status).toBe(200);
  });

  it("sessions in use by the largest holder make room for somebody who has none", async () => {
    const { url } = await open(entry, createFixture().server, { trustProxy: 1, sessions: { max: 3 } });
    const streams = [];
    for (let n = 0; n < 3; n++)
      streams.push(await (await openSession(url, "2025-11-25", from(attacker))).listen());
    expect(await flood(url, 1, from(attacker).headers)).toEqual([503]);
    const honest = await openSession(url, "2025-11-25", from("203.0.113.1"));
    const events = await honest.listen();
    expect((await honest.ask("ping")).status).toBe(200);
    // With a second one it would hold as much as the largest holder, so nothing in use goes for it.
    expect(await flood(url, 1, from("203.0.113.1").headers)).toEqual([503]);
    expect(await flood(url, 1, from("203.0.113.2").headers)).toEqual([200]);
    for (const stream of [...streams, events]) stream.cut();
  });

  it("bytes count, too: a caller that says much of itself takes no other's room", async () => {
    const { url } = await open(entry, createFixture().server, {
      trustProxy: 1,
      sessions: { maxBytes: 256 * 1024 },
    });
    const honest = await openSession(url, "2025-11-25", from("203.0.113.1"));
    const wordy = [];
    for (let n = 0; n < 12; n++) {
      const capabilities = { experimental: { x: { text: "y".repeat(50 * 1024) } } };
      wordy.push(await openSession(url, "2025-11-25", { capabilities, ...from(attacker) }));
    }
    const statuses = await Promise.all(wordy.map(async (session) => (await session.ask("ping")).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect((await honest.ask("ping")).status).toBe(200);
  });

  it("subscriptions count as bytes of their session", async () => {
    const server = createServer({ name: "notes", version: "1.0.0" });
    server.resource("notes://{+name}", { name: "notes" }, () => "x");
    const { url } = await open(entry, server, { trustProxy: 1, sessions: { maxBytes: 128 * 1024 } });
    const honest = await openSession(url, "2025-11-25", from("203.0.113.1"));
    const greedy = await openSession(url, "2025-11-25", from(attacker));
    const statuses: number[] = [];
    for (let n = 0; n < 24; n++) {
      const uri = `notes://${n}${"z".repeat(8000)}`;
      statuses.push((await greedy.ask("resources/subscribe", { uri })).status);
    }
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(17);
    expect(statuses.at(-1)).toBe(404);
    expect((await honest.ask("ping")).status).toBe(200);
  });

  it("initialize beyond 64 KiB opens nothing", async () => {
    const { url } = await open(entry, createFixture().server);
    const large = { experimental: { x: { text: "y".repeat(64 * 1024) } } };
    const answer = await exchange(url, { body: toInitialize("2025-11-25", large), headers: posting });
    expect([answer.status, answer.headers["mcp-session-id"]]).toEqual([400, undefined]);
    expect((await answer.json()).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("65536"),
    });
  });

  it("of a client's description the session keeps what the specification has, cut to a length", async () => {
    const seen = tool("seen", {}, (_, ctx) => JSON.stringify(ctx.client.info));
    const server = createServer({ name: "seeing", version: "1.0.0", tools: [seen] });
    const { url } = await open(entry, server);
    const icon = { src: "https://example.com/icon.png" };
    const body = toInitialize("2025-11-25");
    const clientInfo = {
      name: "n".repeat(9_000),
      version: "1",
      novel: "x".repeat(9_000),
      icons: [icon, { src: `data:image/png;base64,${"A".repeat(9_000)}` }],
    };
    const answer = await exchange(url, {
      body: { ...body, params: { ...body.params, clientInfo } },
      headers: posting,
    });
    const id = String(answer.headers["mcp-session-id"]);
    const headers = { ...posting, "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "seen" } };
    const { result } = await (await exchange(url, { body: call, headers })).result();
    expect(JSON.parse(result.content[0].text)).toEqual({
      name: "n".repeat(256),
      version: "1",
      icons: [icon],
    });
  });
});
