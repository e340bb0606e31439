import { connect } from "node:net";
import { serveHttp } from "allspeak/node";
import { describe, expect, it } from "vitest";
import { createFixture } from "../../../support/http/fixture.ts";
import { type RawResponse, RawSocket, toResponses } from "../../../support/http/raw-socket.ts";
import { good } from "./raw-call.ts";

describe("slow headers / slow body (1 B/s)", () => {
  /** Sends one byte now and then, until the other side has had enough. */
  async function drip(port: number, text: string, everyMs: number): Promise<RawResponse | undefined> {
    const raw = new RawSocket(port);
    let at = 0;
    const timer = setInterval(() => {
      if (at < text.length && raw.socket.writable) raw.write(text.charAt(at++));
    }, everyMs);
    const said = await raw.end();
    clearInterval(timer);
    return toResponses(said)[0];
  }

  it("408 in JSON-RPC, and the connection is closed", async () => {
    const { server, entered } = createFixture();
    const running = await serveHttp(server, { headersMs: 400, bodyMs: 400 });
    const raw = new RawSocket(running.port).write(good.slice(0, -20));
    const [headers, body] = await Promise.all([drip(running.port, good, 50), raw.end()]);
    for (const response of [headers, toResponses(body)[0]]) {
      expect(response?.status).toBe(408);
      expect(JSON.parse(response?.body ?? "")).toMatchObject({ error: { code: -32600 } });
    }
    expect(entered()).toBe(0);
    await running.close(0);
  });

  it("a connection that says nothing is let go of, too", async () => {
    const running = await serveHttp(createFixture().server, { headersMs: 300 });
    const socket = connect(running.port, "127.0.0.1");
    socket.on("error", () => {});
    await new Promise((resolve) => socket.resume().once("close", resolve));
    await running.close(0);
  });
});
