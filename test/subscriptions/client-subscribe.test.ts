import { afterEach, describe, expect, test, vi } from "vitest";
import type { Change } from "../../src/client.ts";
import { InvalidResponseError, RpcError, TimeoutError } from "../../src/errors.ts";
import { failure, openClient, settle } from "../support/open-client.ts";
import {
  discoverServer,
  handshakeServer,
  type Line,
  silence,
  type Wire,
} from "../support/scripted-server.ts";

const subscriptionKey = "io.modelcontextprotocol/subscriptionId";

afterEach(() => {
  vi.useRealTimers();
});

function acknowledge(line: Line, id: number, notifications: object): void {
  line.notify("notifications/subscriptions/acknowledged", {
    notifications,
    _meta: { [subscriptionKey]: id },
  });
}

function listening() {
  return discoverServer({
    script: {
      "subscriptions/listen": ({ notifications }: Wire, line, { id }) => {
        acknowledge(line, id, notifications);
        return silence;
      },
    },
  });
}

function tell(line: Line, id: unknown, method: string, params: object = {}): void {
  line.notify(method, { ...params, _meta: { [subscriptionKey]: id } });
}

describe("a subscription that is one open request", () => {
  test("asks for what was asked for, and says what was agreed", async () => {
    const server = discoverServer({
      script: {
        "subscriptions/listen": (_: Wire, line, { id }) => {
          acknowledge(line, id, { toolsListChanged: true, resourceSubscriptions: ["file:///a"] });
          return silence;
        },
      },
    });
    const client = await openClient(server);
    const filter = { tools: true, prompts: true, resourceList: true, resources: ["file:///a", "file:///b"] };
    const subscription = await client.subscribe(filter);
    expect(server.line.paramsOf("subscriptions/listen")[0].notifications).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["file:///a", "file:///b"],
    });
    expect(subscription.agreed).toEqual({ tools: true, resources: ["file:///a"] });
  });

  test("hears what carries its id, and nothing else", async () => {
    const server = listening();
    const client = await openClient(server);
    const tools: Change[] = [];
    const files: Change[] = [];
    await client.subscribe({ tools: true }, (change) => tools.push(change));
    await client.subscribe({ resources: ["file:///a"] }, (change) => files.push(change));
    const [first, second] = server.line.received
      .filter(({ method }) => method === "subscriptions/listen")
      .map(({ id }) => id);
    tell(server.line, first, "notifications/tools/list_changed");
    tell(server.line, second, "notifications/resources/updated", { uri: "file:///a/part" });
    tell(server.line, 999, "notifications/tools/list_changed");
    tell(server.line, String(first), "notifications/tools/list_changed");
    server.line.notify("notifications/tools/list_changed");
    await client.ping();
    expect(tools).toEqual([{ kind: "tools" }]);
    expect(files).toEqual([{ kind: "resource", uri: "file:///a/part" }]);
  });

  test("is cancelled by close, and hears nothing more", async () => {
    const server = listening();
    const client = await openClient(server);
    const changes: Change[] = [];
    const subscription = await client.subscribe({ tools: true }, (change) => changes.push(change));
    const { id } = await server.line.saw("subscriptions/listen");
    await subscription.close();
    expect(await subscription.ended).toEqual({ by: "client" });
    expect((await server.line.saw("notifications/cancelled")).params).toMatchObject({ requestId: id });
    tell(server.line, id, "notifications/tools/list_changed");
    await client.ping();
    expect(changes).toEqual([]);
    await subscription.close();
    expect(server.line.paramsOf("notifications/cancelled").length).toBe(1);
  });

  test("may be ended by the server with a result", async () => {
    const server = listening();
    const client = await openClient(server);
    const subscription = await client.subscribe({ tools: true });
    const { id } = await server.line.saw("subscriptions/listen");
    server.line.send({ id, result: { resultType: "complete", _meta: { [subscriptionKey]: id } } });
    expect(await subscription.ended).toEqual({ by: "server" });
  });

  test("may be ended by the server with a cancellation, which is not answered with another", async () => {
    const server = listening();
    const client = await openClient(server);
    const subscription = await client.subscribe({ tools: true });
    const { id } = await server.line.saw("subscriptions/listen");
    server.line.notify("notifications/cancelled", { requestId: id, reason: "shutting down" });
    const end = await subscription.ended;
    expect(end.by).toBe("server");
    expect(end.reason?.message).toContain("shutting down");
    await subscription.close();
    await client.ping();
    expect(server.line.methods()).not.toContain("notifications/cancelled");
  });

  test("ends with the connection", async () => {
    const server = listening();
    const client = await openClient(server);
    const subscription = await client.subscribe({ tools: true });
    await server.line.close();
    expect(await subscription.ended).toMatchObject({
      by: "connection",
      reason: { code: "connection-closed" },
    });
    await subscription.close();
  });

  test("stays open however long nothing happens", async () => {
    vi.useFakeTimers();
    const server = listening();
    const client = await openClient(server);
    const changes: Change[] = [];
    await client.subscribe({ tools: true }, (change) => changes.push(change));
    await vi.advanceTimersByTimeAsync(86_400_000);
    const { id } = await server.line.saw("subscriptions/listen");
    tell(server.line, id, "notifications/tools/list_changed");
    await vi.advanceTimersByTimeAsync(0);
    expect(changes).toEqual([{ kind: "tools" }]);
  });

  test("that the server never acknowledges is given up", async () => {
    const server = discoverServer({ script: { "subscriptions/listen": () => silence } });
    const client = await openClient(server, { timeout: { idle: 30 } });
    expect(await failure(client.subscribe({ tools: true }))).toBeInstanceOf(TimeoutError);
    await server.line.saw("notifications/cancelled");
  });

  test("that the server refuses fails with its error", async () => {
    const server = discoverServer({
      script: {
        "subscriptions/listen": () => {
          throw new RpcError(-32603, "Too many");
        },
      },
    });
    const client = await openClient(server);
    expect(await failure(client.subscribe({ tools: true }))).toMatchObject({ message: "Too many" });
  });

  test("that ends before it is acknowledged is none", async () => {
    const server = discoverServer({ script: { "subscriptions/listen": () => ({}) } });
    const client = await openClient(server);
    expect(await failure(client.subscribe({ tools: true }))).toBeInstanceOf(InvalidResponseError);
  });

  test("does not hear what comes before the acknowledgement; that is reported", async () => {
    const problems: Error[] = [];
    const changes: Change[] = [];
    const server = discoverServer({
      script: {
        "subscriptions/listen": ({ notifications }: Wire, line, { id }) => {
          tell(line, id, "notifications/tools/list_changed");
          acknowledge(line, id, notifications);
          return silence;
        },
      },
    });
    const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
    await client.subscribe({ tools: true }, (change) => changes.push(change));
    expect(changes).toEqual([]);
    expect(problems[0]).toBeInstanceOf(InvalidResponseError);
  });

  test("survives a listener that throws", async () => {
    const problems: Error[] = [];
    const server = listening();
    const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
    await client.subscribe({ tools: true }, () => {
      throw new Error("listener");
    });
    const { id } = await server.line.saw("subscriptions/listen");
    tell(server.line, id, "notifications/tools/list_changed");
    await client.ping();
    expect(problems.map(({ message }) => message)).toEqual(["A listener failed: listener"]);
  });
});

describe("a subscription to each resource by itself", () => {
  function watching() {
    return handshakeServer("2025-06-18", {
      script: { "resources/subscribe": () => ({}), "resources/unsubscribe": () => ({}) },
    });
  }

  test("subscribes to every URI once, and unsubscribes on close", async () => {
    const server = watching();
    const client = await openClient(server);
    const subscription = await client.subscribe({ resources: ["file:///a", "file:///b", "file:///a"] });
    expect(server.line.paramsOf("resources/subscribe").map(({ uri }) => uri)).toEqual([
      "file:///a",
      "file:///b",
    ]);
    await subscription.close();
    expect(await subscription.ended).toEqual({ by: "client" });
    expect(server.line.paramsOf("resources/unsubscribe").map(({ uri }) => uri)).toEqual([
      "file:///a",
      "file:///b",
    ]);
    await subscription[Symbol.asyncDispose]();
    expect(server.line.paramsOf("resources/unsubscribe").length).toBe(2);
  });

  test("hears of what was asked for, and of its parts, and of nothing else", async () => {
    const server = watching();
    const client = await openClient(server);
    const changes: Change[] = [];
    await client.subscribe({ tools: true, resources: ["file:///a"] }, (change) => changes.push(change));
    server.line.notify("notifications/tools/list_changed");
    server.line.notify("notifications/prompts/list_changed");
    server.line.notify("notifications/resources/list_changed");
    server.line.notify("notifications/resources/updated", { uri: "file:///a" });
    server.line.notify("notifications/resources/updated", { uri: "file:///a/part" });
    server.line.notify("notifications/resources/updated", { uri: "file:///b" });
    await client.ping();
    expect(changes).toEqual([
      { kind: "tools" },
      { kind: "resource", uri: "file:///a" },
      { kind: "resource", uri: "file:///a/part" },
    ]);
  });

  test("shares a URI with others: the last one to close unsubscribes", async () => {
    const server = watching();
    const client = await openClient(server);
    const [one, two] = await Promise.all([
      client.subscribe({ resources: ["file:///a"] }),
      client.subscribe({ resources: ["file:///a"] }),
    ]);
    expect(server.line.paramsOf("resources/subscribe").length).toBe(1);
    await one.close();
    expect(server.line.paramsOf("resources/unsubscribe").length).toBe(0);
    await two.close();
    expect(server.line.paramsOf("resources/unsubscribe").length).toBe(1);
  });

  test("does not hear of a resource whose URI only begins like its own", async () => {
    const server = watching();
    const client = await openClient(server);
    const uris: unknown[] = [];
    const resources = ["file:///a", "file:///folder/", "urn:doc:1"];
    await client.subscribe({ resources }, (change) => uris.push("uri" in change && change.uri));
    const parts = ["file:///a?page=2", "file:///a#top", "file:///folder/x", "urn:doc:1:part", "file:///a/b"];
    const others = ["file:///ab", "file:///a.txt", "file:///a%2Fb", "file:///folder", "urn:doc:12"];
    for (const uri of [...others, ...parts]) server.line.notify("notifications/resources/updated", { uri });
    await client.ping();
    expect(uris).toEqual(parts);
  });

  test("that follows one that was just closed is asked for after the other has ended", async () => {
    const server = watching();
    const client = await openClient(server);
    const first = await client.subscribe({ resources: ["file:///a"] });
    const closing = first.close();
    const second = await client.subscribe({ resources: ["file:///a"] });
    await closing;
    const sent = () =>
      server.line.received.map(({ method }) => method).filter((name) => /subscribe$/.test(name));
    expect(sent()).toEqual(["resources/subscribe", "resources/unsubscribe", "resources/subscribe"]);
    await second.close();
    expect(sent().at(-1)).toBe("resources/unsubscribe");
  });

  test("that fails for one URI is let go of whole", async () => {
    const server = handshakeServer("2025-11-25", {
      script: {
        "resources/subscribe": ({ uri }: Wire) => {
          if (uri === "file:///bad") throw new RpcError(-32002, "No such file");
          return {};
        },
        "resources/unsubscribe": () => ({}),
      },
    });
    const problems: Error[] = [];
    const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
    const error = await failure(client.subscribe({ resources: ["file:///a", "file:///bad"] }));
    expect(error).toMatchObject({ wireCode: -32002 });
    expect(server.line.paramsOf("resources/unsubscribe")).toEqual([{ uri: "file:///a" }]);
    expect(problems).toEqual([]);
    const retry = failure(client.subscribe({ resources: ["file:///bad"] }));
    expect(await retry).toMatchObject({ wireCode: -32002 });
    expect(server.line.paramsOf("resources/subscribe").length).toBe(3);
  });

  test("sends nothing for lists, whose changes come anyway", async () => {
    const server = watching();
    const client = await openClient(server);
    const before = server.line.received.length;
    const subscription = await client.subscribe({ tools: true, prompts: true, resourceList: true });
    await subscription.close();
    await settle();
    expect(server.line.received.length).toBe(before);
  });

  test("ends with the connection, and closing it then is harmless", async () => {
    const problems: Error[] = [];
    const server = watching();
    const client = await openClient(server, { onProblem: (problem) => problems.push(problem) });
    const subscription = await client.subscribe({ resources: ["file:///a"] });
    await server.line.close();
    expect(await subscription.ended).toMatchObject({ by: "connection" });
    await subscription.close();
    expect(problems).toEqual([]);
  });
});
