import { describe, expect, test } from "vitest";
import { type ConnectOptions, connect } from "../../src/client.ts";
import { CapabilityError, UsageError } from "../../src/errors.ts";
import type { ElicitResult } from "../../src/protocol/model/elicitation.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer, handshakeServer, type Wire } from "../support/scripted-server.ts";

const _question = { messages: [{ role: "user", content: { type: "text", text: "2+2?" } }], maxTokens: 10 };

const _decline = async (): Promise<ElicitResult> => ({ action: "decline" });

/** Connects in a revision and sends one question. */
async function ask(version: string, options: ConnectOptions, method: string, params: object): Promise<Wire> {
  const server = handshakeServer(version);
  await openClient(server, options);
  return server.line.ask("q", method, params);
}

describe("roots", () => {
  test("are URIs or roots with names", async () => {
    const roots = ["file:///a", { uri: "file:///b", name: "B" }];
    expect((await ask("2024-11-05", { roots }, "roots/list", {})).result).toEqual({
      roots: [{ uri: "file:///a" }, { uri: "file:///b", name: "B" }],
    });
  });

  test("may be a function, asked each time", async () => {
    const server = handshakeServer("2025-11-25");
    let count = 0;
    await openClient(server, { roots: async () => [`file:///${++count}`] });
    await server.line.ask("a", "roots/list");
    expect((await server.line.ask("b", "roots/list")).result).toEqual({ roots: [{ uri: "file:///2" }] });
  });

  test("can be replaced, and the server is told", async () => {
    const server = handshakeServer("2025-11-25");
    const client = await openClient(server, { roots: [] });
    await client.setRoots(["file:///new"]);
    await server.line.saw("notifications/roots/list_changed");
    expect((await server.line.ask("q", "roots/list")).result).toEqual({ roots: [{ uri: "file:///new" }] });
  });

  test("that changed by themselves are told of, too", async () => {
    const server = handshakeServer("2025-11-25");
    const client = await openClient(server, { roots: () => [] });
    await client.notifyRootsChanged();
    await server.line.saw("notifications/roots/list_changed");
  });

  test("are not told of where there is no word for it", async () => {
    const server = discoverServer();
    const client = await openClient(server, { roots: [] });
    await client.setRoots(["file:///new"]);
    await client.ping();
    expect(server.line.methods()).toEqual(["server/discover", "server/discover"]);
  });

  test("can't be set by a client that did not declare them", async () => {
    const client = await openClient(discoverServer());
    expect(await failure(client.setRoots([]))).toBeInstanceOf(CapabilityError);
    expect(await failure(client.notifyRootsChanged())).toBeInstanceOf(CapabilityError);
  });

  test.each<[string, unknown]>([
    ["a path", "/home/me"],
    ["a Windows path", "C:\\Users\\me"],
    ["another scheme", "https://example.com/"],
    ["an object without a URI", { name: "x" }],
  ])("may not be %s", async (_, root) => {
    const roots = [root as string];
    const server = handshakeServer("2025-11-25");
    const error = await failure(connect(server.transport, { roots }));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(/file: URI.*pathToFileURL/);
    expect(server.lines).toEqual([]);

    const client = await openClient(handshakeServer("2025-11-25"), { roots: [] });
    expect(await failure(client.setRoots(roots))).toBeInstanceOf(UsageError);
  });

  test("that a function gives and that are none are a mistake of the host", async () => {
    const problems: Error[] = [];
    const options = { roots: () => ["/home/me"], onProblem: (p: Error) => problems.push(p) };
    expect(await ask("2025-11-25", options, "roots/list", {})).toMatchObject({
      error: { code: -32603, message: couldNot("roots/list") },
    });
    expect(problems[0]).toBeInstanceOf(UsageError);
    expect(problems[0]?.message).toMatch(/^roots handler: .*file: URI/);
  });
});

function couldNot(method: string): string {
  return `The client could not answer ${method}.`;
}
