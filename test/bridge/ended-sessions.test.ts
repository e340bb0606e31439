import { createServer } from "allspeak";
import { openBridge } from "allspeak/bridge";
import type { Client, Transport } from "allspeak/client";
import { createTestClock } from "allspeak/testing";
import { expect, it, onTestFinished } from "vitest";
import { memoryTransport } from "../../src/transports/memory/transport.ts";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";

/** A server to which the second connection opens when the test lets it. */
function createSlow() {
  const server = createServer({ name: "slow", version: "1", revisions: ["2025-11-25"] });
  server.tool("hi", {}, () => "hi");
  const inner = memoryTransport(server);
  const opening = new Queue<() => void>();
  let opened = 0;
  const transport: Transport = {
    kind: inner.kind,
    open: async (options) => {
      if (++opened === 2) await new Promise<void>((resolve) => opening.push(resolve));
      return inner.open(options);
    },
  };
  return { transport, opening, countOpened: () => opened };
}

const uses: Record<string, (client: Client) => Promise<unknown>> = {
  "a call": (client) => expect(client.tools.call("hi")).rejects.toMatchObject({ code: "connection-closed" }),
  "a log level": (client) => client.setLogLevel("debug"),
};

it.each(Object.keys(uses))(
  "a connection that opened for %s of a session that has ended meanwhile is closed when it was idle for long enough",
  async (use) => {
    const clock = createTestClock();
    clock.install();
    onTestFinished(() => clock.restore());
    const { transport, opening, countOpened } = createSlow();
    const initialized = new Queue<object>();
    const bridge = await openBridge(transport, {
      isolation: "per-principal",
      idleMs: 60_000,
      connect: {
        onMessage: (message) => {
          if ("method" in message && message.method === "notifications/initialized")
            initialized.push(message);
        },
      },
    });
    onTestFinished(() => bridge.close());
    await initialized.next();
    const gone = await openClient(bridge.server, { revisions: ["2025-11-25"] });
    const used = uses[use]?.(gone);
    const open = await opening.next();
    await gone.close();
    await used;
    open();
    await initialized.next();
    await clock.advance(61_000);
    const next = await openClient(bridge.server, { revisions: ["2025-11-25"] });
    await next.tools.call("hi");
    expect(countOpened()).toBe(3);
  },
);
