import { describe, expect, test } from "vitest";
import type { LogMessage } from "../../src/client.ts";
import { openClient } from "../support/open-client.ts";
import { everyCapability, ScriptedServer } from "../support/scripted-server.ts";

const log = { level: "info", logger: "db", data: { rows: 1 } };

describe("log messages", () => {
  test("reach onLog, also while the conversation is being opened", async () => {
    const messages: LogMessage[] = [];
    const server = new ScriptedServer({
      initialize: (_, line) => {
        line.notify("notifications/message", { level: "debug", data: "starting" });
        return { protocolVersion: "2025-11-25", capabilities: everyCapability };
      },
      ping: () => ({}),
    });
    const client = await openClient(server, {
      revisions: ["2025-11-25"],
      onLog: (message) => messages.push(message),
    });
    server.line.notify("notifications/message", log);
    await client.ping();
    expect(messages).toEqual([{ level: "debug", data: "starting" }, log]);
  });
});
