import { describe, expect, test } from "vitest";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer, handshakeServer } from "../support/scripted-server.ts";

const logLevelKey = "io.modelcontextprotocol/logLevel";
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("the log level", () => {
  test("is set for the session where there is one", async () => {
    const server = handshakeServer("2025-06-18", { script: { "logging/setLevel": () => ({}) } });
    const client = await openClient(server);
    await client.setLogLevel("warning");
    expect(server.line.paramsOf("logging/setLevel")).toEqual([{ level: "warning" }]);
  });

  test("goes with each later request where there is none", async () => {
    const server = discoverServer({ script: { "tools/call": () => text("hi") } });
    const client = await openClient(server);
    await client.tools.call("a");
    await client.setLogLevel("debug");
    await client.tools.call("b");
    const levels = server.line.paramsOf("tools/call").map((params) => params._meta[logLevelKey]);
    expect(levels).toEqual([undefined, "debug"]);
  });

  test.each(["2025-11-25", "2026-07-28"] as const)("needs a server of %s that logs", async (revision) => {
    const offer = { capabilities: { tools: {} } };
    const server = revision === "2026-07-28" ? discoverServer(offer) : handshakeServer(revision, offer);
    const client = await openClient(server);
    const before = server.line.received.length;
    expect(await failure(client.setLogLevel("debug"))).toMatchObject({ capability: "logging" });
    expect(server.line.received.length).toBe(before);
  });
});
