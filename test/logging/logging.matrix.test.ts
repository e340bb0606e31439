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
  it("sends what is at least information, or nothing where each request must ask for it", async () => {
    expect(await chatter(await open())).toEqual(
      since<unknown[]>({ "2024-11-05": [fact, failure], "2026-07-28": [] }),
    );
  });

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

  it("refuses a level that does not exist where levels are set by a request", async () => {
    const { client } = await open();
    const setting = client.request("logging/setLevel", { level: "loud" });
    await expect(setting).rejects.toMatchObject(
      since<object>({ "2024-11-05": { wireCode: -32602 }, "2026-07-28": { code: "not-in-revision" } }),
    );
  });
});
