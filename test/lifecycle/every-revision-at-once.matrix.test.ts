import type { RevisionName } from "allspeak";
import { connect } from "allspeak/client";
import { describe, expect, it } from "vitest";
import { revisionNames } from "../matrix/matrix.ts";
import { describeRaw } from "../matrix/raw-pipes.ts";
import { readText } from "../matrix/read-text.ts";
import { loadServer } from "../matrix/servers/load.ts";
import { alone } from "../support/raw-client.ts";

describeRaw("a session and requests that name their revision, on one pipe", (open) => {
  it("are each answered in their own words", async () => {
    const raw = await open();
    await raw.initialize("2025-06-18");
    const call = { name: "echo", arguments: { text: "hello" } };
    const missing = { uri: "fixture://nowhere" };
    const answers = await Promise.all([
      raw.ask("tools/call", call),
      raw.ask("tools/call", alone(call)),
      raw.ask("resources/read", missing),
      raw.ask("resources/read", alone(missing)),
      raw.ask("tools/call", { name: "whoami" }),
      raw.ask("tools/call", alone({ name: "whoami" })),
      raw.ask("ping"),
      raw.ask("ping", alone()),
    ]);
    const content = [{ type: "text", text: "hello" }];
    expect(answers.map(({ result, error }) => result ?? error)).toEqual([
      { content },
      { content, resultType: "complete", _meta: expect.any(Object) },
      { code: -32002, message: "Resource not found: fixture://nowhere", data: missing },
      { code: -32602, message: "Resource not found: fixture://nowhere", data: missing },
      { content: [expect.objectContaining({ text: expect.stringContaining('"hasSession":true') })] },
      expect.objectContaining({
        content: [expect.objectContaining({ text: expect.stringContaining('"hasSession":false') })],
      }),
      {},
      { code: -32601, message: "Method not found: ping" },
    ]);
  });

  it("keep their logging apart", async () => {
    const raw = await open();
    await raw.initialize("2025-11-25");
    await raw.result("logging/setLevel", { level: "error" });
    const logged = () => raw.heard.filter(({ method }) => method === "notifications/message").length;
    await raw.result("tools/call", { name: "chatter" });
    expect(logged()).toBe(1);
    await raw.result("tools/call", alone({ name: "chatter" }));
    expect(logged()).toBe(1);
    const _meta = { "io.modelcontextprotocol/logLevel": "debug" };
    await raw.result("tools/call", alone({ name: "chatter", _meta }));
    expect(logged()).toBe(4);
  });

  it("hear of changes each in their own way", async () => {
    const raw = await open();
    await raw.initialize("2025-11-25");
    await raw.result("resources/subscribe", { uri: "fixture://notes" });
    const notifications = { resourceSubscriptions: ["fixture://bytes"] };
    void raw.ask("subscriptions/listen", alone({ notifications }), "listening");
    await raw.until(({ method }) => method === "notifications/subscriptions/acknowledged");
    const touch = (uri: string) => raw.result("tools/call", { name: "touch", arguments: { uri } });
    await touch("fixture://notes");
    await touch("fixture://bytes");
    await raw.result("ping");
    const told = raw.heard.filter(({ method }) => method === "notifications/resources/updated");
    expect(told.map(({ params }) => params)).toEqual([
      { uri: "fixture://notes" },
      { uri: "fixture://bytes", _meta: { "io.modelcontextprotocol/subscriptionId": "listening" } },
    ]);
    raw.notify("notifications/cancelled", { requestId: "listening" });
  });

  it("may open in either order", async () => {
    const raw = await open();
    await raw.result("tools/list", alone());
    expect(await raw.initialize("2024-11-05")).toMatchObject({ protocolVersion: "2024-11-05" });
    expect(await raw.result("server/discover", alone())).toMatchObject({ resultType: "complete" });
  });
});

describe("clients of every revision at one server value", () => {
  const openAll = async () => {
    const server = await loadServer("full");
    const clients = revisionNames.map((revision: RevisionName) => connect(server, { revisions: [revision] }));
    return Promise.all(clients);
  };

  it("call at the same time and are each answered in their own revision", async () => {
    const clients = await openAll();
    const calls = clients.flatMap((client) =>
      Array.from({ length: 20 }, async (_, index) => {
        const [echo, who] = await Promise.all([
          client.tools.call("echo", { text: `${client.server.revision} ${index}` }),
          client.tools.call("whoami"),
        ]);
        expect(readText(echo)).toBe(`${client.server.revision} ${index}`);
        expect(JSON.parse(readText(who))).toMatchObject({ revision: client.server.revision });
      }),
    );
    await Promise.all(calls);
    await Promise.all(clients.map((client) => client.close()));
  });

  it("all hear of a change that one of them brought about", async () => {
    const clients = await openAll();
    const [first] = clients;
    const heard: string[] = [];
    let resolveAll: () => void = () => {};
    const everyone = new Promise<void>((resolve) => {
      resolveAll = resolve;
    });
    const hear = (revision: string) => {
      if (heard.push(revision) === clients.length) resolveAll();
    };
    await Promise.all(
      clients.map((client) => client.subscribe({ tools: true }, () => hear(client.server.revision))),
    );
    await first?.tools.call("register", { name: "together" });
    await everyone;
    expect(heard.sort()).toEqual([...revisionNames]);
    await Promise.all(clients.map((client) => client.close()));
    const last = await connect(await loadServer("full"));
    await last.tools.call("change", { name: "together", action: "remove" });
    await last.close();
  });

  it("do not notice when another one leaves", async () => {
    const [leaving, ...staying] = await openAll();
    await leaving?.close();
    for (const client of staying) {
      expect(readText(await client.tools.call("echo", { text: "still here" }))).toBe("still here");
      await client.close();
    }
  });
});
