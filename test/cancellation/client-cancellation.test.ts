import { describe, expect, test } from "vitest";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer, silence } from "../support/scripted-server.ts";

const _text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("a call that is cancelled", () => {
  test("rejects at once and tells the server why", async () => {
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const abort = new AbortController();
    const outcome = failure(client.tools.call("slow", {}, { signal: abort.signal }));
    const { id } = await server.line.saw("tools/call");
    abort.abort("no longer needed");
    expect(await outcome).toMatchObject({ code: "cancelled" });
    const { params } = await server.line.saw("notifications/cancelled");
    expect(params).toEqual({ requestId: id, reason: expect.stringContaining("no longer needed") });
  });

  test("before it was sent is never sent", async () => {
    const server = discoverServer();
    const client = await openClient(server);
    const error = await failure(client.tools.call("x", {}, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "cancelled" });
    expect(server.line.methods()).toEqual(["server/discover"]);
  });
});
