import { describe, expect, test } from "vitest";
import { ConnectionClosedError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer, silence } from "../support/scripted-server.ts";

const _text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("the end of a connection", () => {
  test("rejects what is still waiting, and what comes after", async () => {
    const server = discoverServer({ script: { "tools/call": () => silence } });
    const client = await openClient(server);
    const waiting = failure(client.tools.call("slow"));
    await server.line.saw("tools/call");
    await server.line.close();
    expect(await waiting).toBeInstanceOf(ConnectionClosedError);
    expect(await client.closed).toBeInstanceOf(ConnectionClosedError);
    expect(await failure(client.tools.call("again"))).toBeInstanceOf(ConnectionClosedError);
  });

  test("is closed by close, which may be called twice, and by `await using`", async () => {
    const server = discoverServer();
    const client = await openClient(server);
    await client.close();
    await client.close();
    await server.line.closed;
    await client.closed;
    await client[Symbol.asyncDispose]();
  });
});
