import { once } from "node:events";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { createFixture } from "../support/http/fixture.ts";
import { toInitialize } from "../support/http/raw-session.ts";

const attacker = "203.0.113.66";
const from = (address: string) => ({ "x-forwarded-for": address });

describe.each(entries)("shares of the streams of HTTP+SSE, $name", (entry) => {
  it("one address that took every stream gives one up to each newcomer, and gets no more", async () => {
    const { origin } = await open(entry, createFixture().server, { trustProxy: 1, sessions: { max: 3 } });
    const listen = (address: string) => exchange(`${origin}/sse`, { headers: from(address) });
    const taken = [];
    for (let n = 0; n < 3; n++) taken.push((await listen(attacker)).events());
    const refused = await listen(attacker);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
    const honest = await listen("203.0.113.1");
    expect(honest.status).toBe(200);
    const events = honest.events();
    const { data = "" } = (await events.next()) ?? {};
    const post = { headers: { "content-type": "application/json" }, body: toInitialize("2024-11-05") };
    expect((await exchange(new URL(data, origin).href, post)).status).toBe(202);
    expect(await events.message()).toMatchObject({ id: 0, result: {} });
    const [first, ...others] = taken;
    while (await first?.next());
    expect((await listen(attacker)).status).toBe(503);
    for (const stream of [...others, events]) stream.cut();
  });
});

describe("shares of WebSockets", () => {
  async function serve(max: number) {
    const { server } = createFixture();
    const websocket = new WebSocketServer(websocketLimits());
    const running = await serveHttp(server, { websocket, trustProxy: 1, sessions: { max } });
    onTestFinished(() => running.close(0));
    return (address: string) =>
      new WebSocket(running.url.replace("http", "ws"), "mcp", { headers: from(address) });
  }

  it("one address that took every connection gives one up to each newcomer, and gets no more", async () => {
    const connect = await serve(3);
    const taken = [];
    for (let n = 0; n < 3; n++) {
      const socket = connect(attacker);
      await once(socket, "open");
      taken.push(socket);
    }
    const [, refused] = await once(connect(attacker), "unexpected-response");
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([503, "5"]);
    refused.destroy();
    const closed = once(taken[0] as WebSocket, "close");
    const honest = connect("203.0.113.1");
    await once(honest, "open");
    const [code] = await closed;
    expect(code).toBe(1001);
    honest.send(JSON.stringify(toInitialize("2025-11-25")));
    const [answer] = await once(honest, "message");
    expect(JSON.parse(String(answer))).toMatchObject({ id: 0, result: {} });
    for (const socket of [...taken, honest]) socket.terminate();
  });

  it("a handshake that fails gives its place back", async () => {
    const { server } = createFixture();
    const websocket = new WebSocketServer(websocketLimits());
    const running = await serveHttp(server, { websocket, sessions: { max: 1 } });
    onTestFinished(() => running.close(0));
    for (let n = 0; n < 3; n++) {
      const answer = await exchange(running.url, {
        headers: { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
      });
      expect(answer.status).toBe(400);
      await answer.text();
    }
    const socket = new WebSocket(running.url.replace("http", "ws"), "mcp");
    await once(socket, "open");
    socket.terminate();
  });
});
