import { createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { JoinedSubscriptions } from "../../src/client/subscriptions/joined-subscriptions.ts";
import { openClient } from "../support/open-client.ts";
import { alone, openRaw, type RawClient } from "../support/raw-client.ts";
import { handshakeServer } from "../support/scripted-server.ts";

const toUris = (count: number, name = "no") => Array.from({ length: count }, (_, at) => `${name}:${at}`);

async function openGateway() {
  const upstream = createServer({ name: "up", version: "1", log: () => {} });
  upstream.resource("file:///a", { name: "a" }, () => "x");
  const gateway = createServer({ name: "gateway", version: "1", log: () => {} });
  gateway.mount("up", await openClient(upstream));
  return { upstream, gateway };
}

function listen(client: RawClient, uris: readonly string[], id: string) {
  return client.ask("subscriptions/listen", alone({ notifications: { resourceSubscriptions: uris } }), id);
}

describe("a mounted client", () => {
  it("joins the resources of one turn in few subscriptions", async () => {
    const asked: number[] = [];
    const joined = new JoinedSubscriptions({
      maxJoined: 500,
      subscribe: async ({ resources = [] }) => {
        asked.push(resources.length);
        const close = async () => {};
        return { agreed: { resources }, ended: new Promise(() => {}), close, [Symbol.asyncDispose]: close };
      },
      report: () => {},
    });
    await Promise.all(toUris(1_000).map((uri) => joined.watch(uri)));
    expect(asked).toEqual([500, 500]);
  });

  it("passes on the update of one among many resources", async () => {
    const { upstream, gateway } = await openGateway();
    const client = openRaw(gateway);
    void listen(client, [...toUris(999), "file:///a"], "many");
    const isUpdate = ({ method }: { method?: unknown }) => method === "notifications/resources/updated";
    while (!client.heard.some(isUpdate)) {
      await new Promise((resolve) => setImmediate(resolve));
      void upstream.resources.updated("file:///a");
    }
    expect(client.heard.find(isUpdate)?.params).toMatchObject({ uri: "file:///a" });
  });

  it("opens a bounded number of subscriptions at a time where each resource is one", async () => {
    let open = 0;
    let most = 0;
    const subscribe = async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return {};
    };
    const upstream = handshakeServer("2025-11-25", { script: { "resources/subscribe": subscribe } });
    const gateway = createServer({ name: "gateway", version: "1", log: () => {} });
    gateway.mount("up", await openClient(upstream, { revisions: ["2025-11-25"] }));
    void listen(openRaw(gateway), toUris(100), "many");
    const asked = () => upstream.line.methods().filter((method) => method === "resources/subscribe").length;
    while (asked() < 100) await upstream.line.next(({ method }) => method === "resources/subscribe");
    expect(most).toBeLessThanOrEqual(16);
  });
});

it("a caller that finds no room to watch resources of a mount is told so", async () => {
  const { gateway } = await openGateway();
  const greedy = openRaw(gateway);
  const refused = await Promise.race(
    Array.from({ length: 10 }, (_, at) => listen(greedy, toUris(1_000, `n${at}`), `many-${at}`)),
  );
  expect(refused).toMatchObject({ error: { code: -32_602, message: expect.stringContaining("watched") } });
});
