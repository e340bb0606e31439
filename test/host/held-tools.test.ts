// Tools that a pin holds back, as callers of a host and of a gateway see them.
import { createServer, type Server } from "allspeak";
import { connect, pinTools } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { describe, expect, onTestFinished, test } from "vitest";
import { openTestHost } from "./fixtures/servers.ts";

function createNotes(description: string): Server {
  const server = createServer({ name: "notes", version: "1" });
  server.tool("read", { description }, () => "read");
  server.tool("real", {}, () => "real");
  return server;
}

const toModel = "This tool is held back until the user has looked at it.";

describe("a tool that has changed since it was pinned", () => {
  /** A host whose server lists another definition than the one that was pinned. */
  async function openChanged() {
    const pin = pinTools({ store: new Map(), sharedNames: true });
    const first = await openTestHost({ servers: { notes: createNotes("one") }, pin });
    await first.tools();
    const second = await openTestHost({ servers: { notes: createNotes("two") }, pin });
    return { host: second, pin };
  }

  test("is called held back, not unknown, and the error says how to approve it", async () => {
    const { host } = await openChanged();
    expect(await host.call("notes__read")).toMatchObject({
      isError: true,
      text: toModel,
      error: {
        code: "tool-held",
        message: expect.stringContaining('(await host.client("notes")).tools.approve("read")'),
        diff: expect.arrayContaining([expect.stringContaining("two")]),
      },
    });
    expect(host.findHeld("notes__read")).toMatchObject({ code: "tool-held" });
    expect(host.findHeld("notes__real")).toBeUndefined();
  });

  test("can be called once it was approved that way", async () => {
    const { host } = await openChanged();
    await host.call("notes__read");
    await (await host.client("notes")).tools.approve("read");
    expect(await host.call("notes__read")).toMatchObject({ isError: false, text: "read" });
    expect(host.findHeld("notes__read")).toBeUndefined();
  });

  test("is called held back by a gateway, too", async () => {
    const { pin } = await openChanged();
    const outcomes: string[] = [];
    const gateway = await openGateway({
      servers: { notes: createNotes("two") },
      pin,
      onProblem: () => {},
      audit: ({ outcome }) => outcomes.push(outcome),
    });
    onTestFinished(() => gateway.close());
    const client = await connect(gateway.server);
    onTestFinished(() => client.close());
    expect(await client.tools.call("notes__read")).toMatchObject({
      isError: true,
      content: [{ text: toModel }],
    });
    expect(outcomes).toEqual(["refused"]);
  });
});

describe("a tool that differs from the pin of its rule", () => {
  const pin = "0".repeat(64);

  test("is called held back, and the error says which hash to write", async () => {
    const tools = { notes: { read: { pin } } };
    const host = await openTestHost({ servers: { notes: createNotes("one") }, tools });
    const result = await host.call("notes__read");
    expect(result).toMatchObject({
      text: toModel,
      error: { code: "tool-held", message: expect.stringMatching(/hash [0-9a-f]{64} now.*to approve it/) },
    });
    expect(host.problems.map(({ message }) => message)).toEqual([result.error?.message]);
  });

  test("stays unknown where the rules deny it", async () => {
    const tools = { notes: { read: { pin, deny: true } } };
    const host = await openTestHost({ servers: { notes: createNotes("one") }, tools });
    expect(await host.call("notes__read")).toMatchObject({ error: { code: "rpc" } });
  });
});
