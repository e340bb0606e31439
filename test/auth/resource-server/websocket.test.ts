import { bearer } from "allspeak/auth";
import { connect, websocketTransport } from "allspeak/client";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { tokenLifetimeMs } from "../../../src/contract/caller/token-expiry.ts";
import { openIssuer } from "../../support/auth/token-issuer.ts";
import { createFixture } from "../../support/http/fixture.ts";

const now = () => Math.floor(Date.now() / 1000);

describe("a WebSocket that was opened with a token", () => {
  it("ends soon after the token", async () => {
    const issuer = await openIssuer();
    const websocket = new WebSocketServer(websocketLimits());
    const running = await serveHttp(createFixture().server, {
      auth: bearer({ issuer: issuer.url, clockSkew: 60 }),
      websocket,
    });
    onTestFinished(() => running.close(0));
    const open = async (exp: number) => {
      const headers = { authorization: `Bearer ${await issuer.mint(running.url, { exp })}` };
      const client = await connect(
        websocketTransport(running.url.replace("http:", "ws:"), { WebSocket, headers }),
      );
      onTestFinished(() => client.close());
      return client;
    };
    const [old, young] = [await open(now() - 2), await open(now() + 300)];
    await old.closed;
    await expect(old.tools.call("echo", { text: "x" })).rejects.toMatchObject({ code: "connection-closed" });
    expect((await young.tools.call("echo", { text: "x" })).isError).not.toBe(true);
  });

  it("lasts until the token expires, and indefinitely for a token without an expiry", () => {
    const whose = (claims?: object) =>
      tokenLifetimeMs({ issuer: "a", subject: "b", ...(claims && { claims: { ...claims } }) });
    expect(whose({ exp: now() + 60 })).toBeGreaterThan(60_000);
    expect(whose({ exp: now() + 60 })).toBeLessThanOrEqual(66_000);
    expect(whose({ exp: now() - 60 })).toBe(0);
    expect(whose({ exp: String(now() + 60) })).toBeLessThanOrEqual(66_000);
    expect(whose({ exp: "soon" })).toBe(0);
    expect(whose({ exp: Number.MAX_SAFE_INTEGER })).toBe(2 ** 31 - 1);
    expect([whose({}), whose(), tokenLifetimeMs(undefined)]).toEqual([undefined, undefined, undefined]);
  });
});
