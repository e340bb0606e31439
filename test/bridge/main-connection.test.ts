import { createServer } from "allspeak";
import { openBridge } from "allspeak/bridge";
import type { Transport } from "allspeak/client";
import { createTestClock } from "allspeak/testing";
import { expect, it, onTestFinished } from "vitest";
import { memoryTransport } from "../../src/transports/memory/transport.ts";

function useClock() {
  const clock = createTestClock();
  clock.install();
  onTestFinished(() => clock.restore());
  return clock;
}

/** A server whose connections end after a time that the test sets. */
function createMortal() {
  const server = createServer({ name: "mortal", version: "1", revisions: ["2025-11-25"] });
  server.tool("hi", {}, () => "hi");
  const inner = memoryTransport(server);
  const mortal = { livesMs: 100, opened: 0, open: inner.open };
  const transport: Transport = {
    kind: inner.kind,
    open: async (options) => {
      mortal.opened++;
      const channel = await mortal.open(options);
      setTimeout(() => void channel.close(), mortal.livesMs);
      return channel;
    },
  };
  return { mortal, transport };
}

it("a server that ends soon after each start is started again with growing pauses", async () => {
  const clock = useClock();
  const { mortal, transport } = createMortal();
  const bridge = await openBridge(transport);
  onTestFinished(() => bridge.close());
  await clock.advance(600_000);
  // Seven pauses that double, and then one of at least 30 seconds each.
  expect(mortal.opened).toBeLessThan(30);
  expect(mortal.opened).toBeGreaterThan(10);
});

it("a server that ends after a long life is started again after a short pause", async () => {
  const clock = useClock();
  const { mortal, transport } = createMortal();
  const bridge = await openBridge(transport);
  onTestFinished(() => bridge.close());
  await clock.advance(300_000);
  mortal.livesMs = 31_000;
  const { opened } = mortal;
  while (mortal.opened === opened) await clock.advance(1_000);
  await clock.advance(31_000 + 1_000);
  expect(mortal.opened).toBe(opened + 2);
});

it("closing a bridge waits until the connection for changes, which is being opened again, is given up", async () => {
  const clock = useClock();
  const { mortal, transport } = createMortal();
  const bridge = await openBridge(transport);
  const events: string[] = [];
  mortal.open = ({ signal }) =>
    new Promise((_, reject) => {
      events.push("opening");
      signal?.addEventListener("abort", () => {
        events.push("given up");
        reject(signal.reason);
      });
    });
  await clock.advance(1_200);
  await bridge.close();
  expect(events).toEqual(["opening", "given up"]);
});

it("a listener that throws when the connection for changes is back is reported, and opens no other connection", async () => {
  const clock = useClock();
  const { mortal, transport } = createMortal();
  const problems: string[] = [];
  const bridge = await openBridge(transport, {
    connect: { onProblem: ({ message }) => problems.push(message) },
  });
  onTestFinished(() => bridge.close());
  bridge["~mount"]().onChange?.(() => {
    throw new Error("The listener is broken.");
  });
  await clock.advance(100);
  mortal.livesMs = 3_600_000;
  await clock.advance(600_000);
  expect(mortal.opened).toBe(2);
  expect(problems).toContain("A listener failed: The listener is broken.");
});
