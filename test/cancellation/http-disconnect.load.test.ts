import { describe, expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { createFixture } from "../support/http/fixture.ts";
import { openSession, type RawSession } from "../support/http/raw-session.ts";
import { RawSocket, toRequestText } from "../support/http/raw-socket.ts";
import { callNewest, toNewest } from "../support/http/stateless-request.ts";

const rounds = 1000;
const concurrency = 20;

const wait = (name: string, talk: boolean) => ({ name: "wait", arguments: { name, talk } });
const newest = (name: string, talk: boolean) =>
  toRequestText(toNewest("tools/call", wait(name, talk), { meta: { progressToken: 1 } }));
const inSession = ({ headers }: RawSession, name: string, talk: boolean) =>
  toRequestText({
    headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
    body: {
      jsonrpc: "2.0",
      id: name,
      method: "tools/call",
      params: { ...wait(name, talk), _meta: { progressToken: name } },
    },
  });

/** Where a client goes: what it sends before, and what it waits for. */
const stages: readonly [string, (session: RawSession, name: string) => [text: string, until?: string]][] = [
  ["mid-headers", (_, name) => [newest(name, false).slice(0, 40)]],
  ["after headers", (_, name) => [`${newest(name, false).split("\r\n\r\n")[0]}\r\n\r\n`]],
  ["mid-body", (_, name) => [newest(name, false).slice(0, -30)]],
  ["mid-tool", (_, name) => [newest(name, false)]],
  ["mid-SSE", (_, name) => [newest(name, true), "notifications/progress"]],
  ["mid-tool of a session", (session, name) => [inSession(session, name, false)]],
  ["mid-SSE of a session", (session, name) => [inSession(session, name, true), "notifications/progress"]],
  [
    "mid-SSE of the stream beside",
    ({ headers }) => [
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\nmcp-session-id: ${headers["mcp-session-id"]}\r\n\r\n`,
      "text/event-stream",
    ],
  ],
  ["mid-SSE of HTTP+SSE", () => ["GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n", "endpoint"]],
];

describe.each(entries)("CVE-2025-53365, CVE-2025-53366, L5: clients that go, $name", (entry) => {
  it(`${rounds} of them at every stage: handlers aborted, nothing left under way, server alive`, async () => {
    const { server, idle, entered } = createFixture();
    const { url, origin } = await open(entry, server, { sessions: { resumeMs: 100 } });
    const port = Number(new URL(origin).port);
    const session = await openSession(url, "2025-11-25");
    let next = 0;
    const visitor = async () => {
      for (let round = next++; round < rounds; round = next++) {
        const stage = stages[(round * 7 + Math.floor(Math.random() * stages.length)) % stages.length];
        const [text, until] = stage?.[1](session, `${entry.name}-${round}`) ?? [""];
        const raw = new RawSocket(port).write(text);
        if (until) await raw.until((seen) => seen.includes(until));
        else if (round % 3 === 0) await new Promise((resolve) => raw.socket.once("connect", resolve));
        else await new Promise((resolve) => setImmediate(resolve));
        if (round % 2 === 0) raw.socket.resetAndDestroy();
        else raw.destroy();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, visitor));
    await idle();
    expect(entered()).toBeGreaterThan(rounds / 10);
    expect((await callNewest(url, "echo", { text: "alive" })).status).toBe(200);
    expect((await session.ask("ping")).status).toBe(200);
  }, 60_000);

  it("at random byte offsets: active requests are back to none", async () => {
    const { server, idle } = createFixture();
    const { url, origin } = await open(entry, server, { sessions: { resumeMs: 100 } });
    const port = Number(new URL(origin).port);
    const session = await openSession(url, "2025-06-18");
    for (let round = 0; round < 200; round++) {
      const text = round % 2 ? newest(`n${round}`, true) : inSession(session, `s${round}`, true);
      const raw = new RawSocket(port);
      await new Promise((resolve) => raw.socket.once("connect", resolve));
      raw.write(text.slice(0, 1 + Math.floor(Math.random() * text.length)));
      raw.socket.end();
      raw.destroy();
    }
    await idle();
    expect((await callNewest(url, "echo", { text: "alive" })).status).toBe(200);
  }, 60_000);
});
