import { describe, expect, test, vi } from "vitest";
import { openClient } from "../support/open-client.ts";
import { discoverServer, handshakeServer } from "../support/scripted-server.ts";

const log = { level: "info", logger: "db", data: { rows: 1 } };

describe("notifications", () => {
  test("reach every listener, whatever they are, until it stops listening", async () => {
    const server = discoverServer();
    const seen: unknown[] = [];
    const client = await openClient(server, { onNotification: (method) => seen.push(["option", method]) });
    const stop = client.onNotification((method, params) => seen.push(["listener", method, params]));
    server.line.notify("notifications/acme", { a: 1 });
    await client.ping();
    stop();
    server.line.notify("notifications/tools/list_changed");
    await client.ping();
    expect(seen).toEqual([
      ["option", "notifications/acme"],
      ["listener", "notifications/acme", { a: 1 }],
      ["option", "notifications/tools/list_changed"],
    ]);
  });

  test("a listener that is given twice hears twice, and stops once at a time", async () => {
    const server = discoverServer();
    const client = await openClient(server);
    const listener = vi.fn();
    const stop = client.onNotification(listener);
    client.onNotification(listener);
    server.line.notify("notifications/acme");
    await client.ping();
    stop();
    server.line.notify("notifications/acme");
    await client.ping();
    expect(listener).toHaveBeenCalledTimes(3);
  });

  test("a listener that throws, at once or later, is reported and hides nothing from the others", async () => {
    const problems: string[] = [];
    const server = discoverServer();
    const client = await openClient(server, { onProblem: ({ message }) => problems.push(message) });
    client.onNotification(() => {
      throw new Error("at once");
    });
    client.onNotification(async () => {
      throw new Error("later");
    });
    const last = vi.fn();
    client.onNotification(last);
    server.line.notify("notifications/acme");
    await client.ping();
    expect(last).toHaveBeenCalledTimes(1);
    expect(problems).toEqual(["A listener failed: at once", "A listener failed: later"]);
  });

  test("with params that are wrong are ignored and reported", async () => {
    const problems: string[] = [];
    const seen = vi.fn();
    const server = discoverServer();
    const client = await openClient(server, {
      onNotification: seen,
      onProblem: ({ message }) => problems.push(message),
    });
    server.line.notify("notifications/resources/updated", { uri: 7 });
    server.line.notify("notifications/message", { level: "loud", data: "x" });
    await client.ping();
    expect(seen).not.toHaveBeenCalled();
    expect(problems).toEqual([
      "Ignored notifications/resources/updated: uri must be a string.",
      expect.stringContaining("Ignored notifications/message: level must be one of"),
    ]);
  });

  test("changes are told apart from the rest", async () => {
    const server = handshakeServer("2025-11-25");
    const client = await openClient(server);
    const changes: unknown[] = [];
    const stop = client.onChange((change) => changes.push(change));
    server.line.notify("notifications/tools/list_changed");
    server.line.notify("notifications/prompts/list_changed");
    server.line.notify("notifications/resources/list_changed");
    server.line.notify("notifications/resources/updated", { uri: "file:///a" });
    server.line.notify("notifications/message", log);
    await client.ping();
    stop();
    server.line.notify("notifications/tools/list_changed");
    await client.ping();
    expect(changes).toEqual([
      { kind: "tools" },
      { kind: "prompts" },
      { kind: "resources" },
      { kind: "resource", uri: "file:///a" },
    ]);
  });
});

describe("problems that nobody listens to", () => {
  test("go to standard error, the first twenty of them", async () => {
    const spoken = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const server = discoverServer();
      const client = await openClient(server);
      for (let n = 0; n < 50; n++) server.line.send(`garbage ${n}`);
      await client.ping();
      expect(spoken).toHaveBeenCalledTimes(20);
      expect(spoken.mock.calls[19]?.[0]).toContain("onProblem");
    } finally {
      spoken.mockRestore();
    }
  });

  test("are printed without what controls a terminal, and not at any length", async () => {
    const spoken = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const server = discoverServer();
      const client = await openClient(server);
      server.line.send({ id: `\u001b[2J\u009b31m\n${"x".repeat(100)}`, result: {} });
      server.line.send({ id: "ask", method: "x".repeat(100_000) });
      await client.ping();
      const printed = spoken.mock.calls.map(([text]) => String(text));
      expect(printed).toHaveLength(2);
      for (const text of printed) {
        expect(text).not.toMatch(/\p{Cc}/u);
        expect(text.length).toBeLessThan(1_100);
      }
    } finally {
      spoken.mockRestore();
    }
  });

  test("that the host's own listener can't take are let go", async () => {
    const server = discoverServer();
    const client = await openClient(server, {
      onProblem: () => {
        throw new Error("worse");
      },
    });
    server.line.send("garbage");
    await client.ping();
    expect(client.server.revision).toBe("2026-07-28");
  });
});
