import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client.ts";
import { createServer, UsageError } from "../../src/index.ts";
import { alone, openRaw } from "../support/raw-client.ts";

test.each(["2024-11-05", "2025-11-25", "2026-07-28"] as const)(
  "a log level that does not exist is refused before anything is sent, %s",
  async (revision) => {
    const sent: unknown[] = [];
    const client = await connect(createServer({ name: "test", version: "1", logging: true }), {
      revisions: [revision],
      onMessage: (message, direction) => direction === "sent" && sent.push(message),
    });
    onTestFinished(() => client.close());
    sent.length = 0;
    for (const level of ["loud", "", "toString", undefined, 3])
      await expect(client.setLogLevel(level as "debug")).rejects.toThrow(UsageError);
    expect(sent).toEqual([]);
    await client.setLogLevel("debug");
  },
);

test.each(["loud", "", "INFO", 3, null, {}])(
  "a server refuses the log level %j, in a request of its own and in the metadata of any other",
  async (level) => {
    const server = createServer({ name: "test", version: "1", logging: true });
    const session = openRaw(server);
    await session.initialize();
    const setting = await session.ask("logging/setLevel", { level });
    expect(setting).toMatchObject({ error: { code: -32602 } });
    const meta = { "io.modelcontextprotocol/logLevel": level };
    const answer = await openRaw(server).ask("tools/list", alone({ _meta: meta }));
    expect(answer).toMatchObject({ error: { code: -32602, message: expect.stringContaining("debug") } });
  },
);
