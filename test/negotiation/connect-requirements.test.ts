import { describe, expect, test } from "vitest";
import { connect } from "../../src/client.ts";
import { CapabilityError, UsageError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import {
  discoverServer,
  handshakeServer,
  initialize,
  ScriptedServer,
  silence,
} from "../support/scripted-server.ts";

describe("what connect insists on", () => {
  test("a required capability that the server lacks ends the connection", async () => {
    const server = handshakeServer("2025-11-25", { capabilities: { tools: {} } });
    const error = await failure(openClient(server, { requires: ["tools", "resources.subscribe"] }));
    expect(error).toBeInstanceOf(CapabilityError);
    expect(error).toMatchObject({ capability: "resources.subscribe", lackedBy: "server" });
    await server.line.closed;
  });

  test("required capabilities that the server has are fine", async () => {
    const client = await openClient(discoverServer(), { requires: ["tools", "resources.subscribe"] });
    expect(client.server.revision).toBe("2026-07-28");
  });

  test("an abort while opening closes the channel and cancels nothing on the wire", async () => {
    const abort = new AbortController();
    const server = new ScriptedServer({
      initialize: () => {
        abort.abort(new Error("changed my mind"));
        return silence;
      },
    });
    const error = await failure(openClient(server, { revisions: ["2025-11-25"], signal: abort.signal }));
    expect(error).toMatchObject({ code: "cancelled", message: expect.stringContaining("changed my mind") });
    await server.line.closed;
    expect(server.line.methods()).toEqual(["initialize"]);
  });

  test("an abort during the probe is not taken for an answer", async () => {
    const abort = new AbortController();
    const server = new ScriptedServer({
      "server/discover": () => {
        abort.abort();
        return silence;
      },
      initialize,
    });
    expect(await failure(openClient(server, { signal: abort.signal }))).toMatchObject({ code: "cancelled" });
    expect(server.line.methods()).toEqual(["server/discover"]);
  });

  test("a signal that is aborted already opens nothing", async () => {
    const server = discoverServer();
    expect(await failure(openClient(server, { signal: AbortSignal.abort() }))).toMatchObject({
      code: "cancelled",
    });
    expect(server.lines).toEqual([]);
  });

  test("an abort after connecting changes nothing", async () => {
    const abort = new AbortController();
    const server = discoverServer();
    const client = await openClient(server, { signal: abort.signal });
    abort.abort();
    await client.ping();
    expect(server.line.methods()).toEqual(["server/discover", "server/discover"]);
  });

  test("a transport that can't be opened is tried once", async () => {
    let opened = 0;
    const transport = {
      kind: "broken",
      open: async () => {
        opened++;
        throw new Error("no such program");
      },
    };
    expect(await failure(connect(transport))).toMatchObject({ message: "no such program" });
    expect(opened).toBe(1);
  });

  test("a revision that does not exist is a mistake of the caller", async () => {
    const error = await failure(openClient(discoverServer(), { revisions: ["2020-01-01" as "2024-11-05"] }));
    expect(error).toBeInstanceOf(UsageError);
  });
});

function _never(): never {
  throw new Error("Not called.");
}
