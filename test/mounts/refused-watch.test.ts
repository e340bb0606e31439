import { createServer, RpcError } from "allspeak";
import { describe, expect, it } from "vitest";
import { JoinedSubscriptions } from "../../src/client/subscriptions/joined-subscriptions.ts";
import type { SubscriptionFilter } from "../../src/client/subscriptions/subscription.ts";
import { openClient } from "../support/open-client.ts";
import { alone, openRaw } from "../support/raw-client.ts";
import { handshakeServer } from "../support/scripted-server.ts";

/** A server that mounts one which knows `file:///a` only, and refuses updates of all others. */
async function openMounting() {
  const upstream = handshakeServer("2025-11-25", {
    script: {
      "resources/subscribe": ({ uri }: { uri: string }) => {
        if (uri === "file:///a") return {};
        throw new RpcError(-32002, `There is no ${uri}.`);
      },
    },
  });
  const server = createServer({ name: "mounting", version: "1", log: () => {} });
  server.resource("own:a", { name: "own" }, () => "x");
  server.resource("own:secret", { name: "secret", access: () => false }, () => "x");
  server.mount("up", await openClient(upstream, { revisions: ["2025-11-25"] }));
  return server;
}

describe("a mounted server that refuses updates of a resource", () => {
  it("tells a session that subscribes to it", async () => {
    const client = openRaw(await openMounting());
    await client.initialize("2025-11-25");
    const subscribe = (uri: string) => client.ask("resources/subscribe", { uri });
    expect(await subscribe("file:///a")).toMatchObject({ result: {} });
    expect(await subscribe("own:a")).toMatchObject({ result: {} });
    const refused = { error: { code: -32002, message: "There is no file:///b." } };
    expect(await subscribe("file:///b")).toMatchObject(refused);
    // Another one is asked again.
    expect(await subscribe("file:///b")).toMatchObject(refused);
    // A hidden resource looks like one that does not exist.
    expect(await subscribe("own:secret")).toMatchObject({ error: { code: -32002 } });
  });

  it("is left out of what subscriptions/listen agrees to", async () => {
    const client = openRaw(await openMounting());
    const named = ["file:///a", "file:///b", "own:a", "own:secret"];
    void client.ask("subscriptions/listen", alone({ notifications: { resourceSubscriptions: named } }));
    const { params } = await client.until(
      ({ method }) => method === "notifications/subscriptions/acknowledged",
    );
    expect(params).toMatchObject({ notifications: { resourceSubscriptions: ["file:///a", "own:a"] } });
  });
});

describe("resources that are watched together", () => {
  function join(subscribe: (uris: readonly string[]) => SubscriptionFilter | Error) {
    const asked: string[] = [];
    const joined = new JoinedSubscriptions({
      maxJoined: 10,
      subscribe: async ({ resources = [] }) => {
        asked.push(resources.join());
        const agreed = subscribe(resources);
        if (agreed instanceof Error) throw agreed;
        const close = async () => {};
        return { agreed, ended: new Promise(() => {}), close, [Symbol.asyncDispose]: close };
      },
      report: () => {},
    });
    return { joined, asked };
  }
  const outcomes = async (promises: readonly Promise<void>[]) =>
    (await Promise.allSettled(promises)).map(({ status }) => status);

  it("are asked for one by one after a refusal, and only the one that is refused fails", async () => {
    const { joined, asked } = join((uris) => (uris.includes("b") ? new Error("no b") : { resources: uris }));
    expect(await outcomes(["a", "b", "c"].map((uri) => joined.watch(uri)))).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(asked).toEqual(["a,b,c", "a", "b", "c"]);
    expect([joined.has("a"), joined.has("b"), joined.has("c")]).toEqual([true, false, true]);
  });

  it("are asked for again after a failure that was about none of them", async () => {
    let failures = 1;
    const { joined, asked } = join((uris) => (failures-- > 0 ? new Error("busy") : { resources: uris }));
    expect(await outcomes(["a", "b"].map((uri) => joined.watch(uri)))).toEqual(["fulfilled", "fulfilled"]);
    expect(asked).toEqual(["a,b", "a", "b"]);
    await joined.watch("a");
    expect(asked).toHaveLength(3);
  });

  it("fail alone where the server agreed to the others", async () => {
    const { joined, asked } = join((uris) => ({ resources: uris.filter((uri) => uri !== "b") }));
    expect(await outcomes(["a", "b"].map((uri) => joined.watch(uri)))).toEqual(["fulfilled", "rejected"]);
    expect(asked).toEqual(["a,b"]);
  });

  it("that are given up while they are asked for again are not watched after all", async () => {
    const { joined, asked } = join((uris) =>
      uris.length > 1 ? new Error("one by one") : { resources: uris },
    );
    const watching = ["a", "b"].map((uri) => joined.watch(uri));
    joined.unwatch("b");
    expect(await outcomes(watching)).toEqual(["fulfilled", "fulfilled"]);
    expect(joined.has("b")).toBe(false);
    expect(asked).toEqual(["a"]);
  });
});
