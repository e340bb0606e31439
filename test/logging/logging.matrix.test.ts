import { expect, it } from "vitest";
import { describeMatrix, type Opened } from "../matrix/matrix.ts";

const detail = { level: "debug", data: "a detail" };
const fact = { level: "info", logger: "fixture", data: { what: "a fact" } };
const failure = { level: "error", data: "a failure" };

async function chatter({ client, wire }: Opened): Promise<unknown> {
  await client.tools.call("chatter");
  return wire.told("notifications/message");
}

describeMatrix("logging", ({ open, since }) => {
  it("sends what the client asked for and nothing milder, to the client's own listener too", async () => {
    const heard: unknown[] = [];
    const opened = await open({ onLog: (message) => heard.push(message) });
    await opened.client.setLogLevel("error");
    expect(await chatter(opened)).toEqual([failure]);
    opened.wire.clear();
    await opened.client.setLogLevel("debug");
    expect(await chatter(opened)).toEqual([detail, fact, failure]);
    expect(heard).toEqual([failure, detail, fact, failure]);

    const { _meta } = opened.wire.lastSent("tools/call").params as { _meta?: Record<string, unknown> };
    expect({
      setLevel: opened.wire.sent.filter(({ method }) => method === "logging/setLevel").length,
      level: _meta?.["io.modelcontextprotocol/logLevel"],
    }).toEqual(
      since<object>({ "2024-11-05": { setLevel: 1 }, "2026-07-28": { setLevel: 0, level: "debug" } }),
    );
  });
});
