import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { expect, onTestFinished, test } from "vitest";
import { Queue } from "../support/queue.ts";
import { alone, openRaw } from "../support/raw-client.ts";
import { handshakeServer } from "../support/scripted-server.ts";
import { turns } from "../support/turns.ts";

const list = (uri: string) => () => ({ resources: [{ uri, name: "n" }] });

test("a server can't report updates of a resource that another one has", async () => {
  const good = createServer({ name: "good", version: "1" });
  good.resource("note://one", { name: "one" }, () => "one");
  const script = { "resources/list": list("evil://one"), "resources/subscribe": () => ({}) };
  const evil = handshakeServer("2025-11-25", { script });
  const gateway = await openGateway({ servers: { good, evil: evil.transport }, onProblem: () => {} });
  onTestFinished(() => gateway.close());
  const client = await connect(gateway.server);
  onTestFinished(() => client.close());
  const updates = new Queue<unknown>();
  const resources = ["note://one", "evil://one"];
  await client.subscribe({ resources }, (change) => updates.push((change as { uri: string }).uri));
  await evil.line.saw("resources/subscribe");
  const update = (uri: string) =>
    evil.line.send({ method: "notifications/resources/updated", params: { uri } });
  update("note://one");
  update("evil://one");
  expect(await updates.next()).toBe("evil://one");
  expect(updates.drain()).toEqual([]);
});

test("a resource that is given up while its server is looked for is not watched afterwards", async () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const upstream = handshakeServer("2025-11-25", {
    script: {
      "resources/list": async () => {
        await opened;
        return list("slow://one")();
      },
      "resources/subscribe": () => ({}),
      "resources/unsubscribe": () => ({}),
    },
  });
  const servers = { slow: upstream.transport };
  const gateway = await openGateway({ servers, listMs: 60_000, onProblem: () => {} });
  onTestFinished(() => gateway.close());
  const client = openRaw(gateway.server);
  const notifications = { resourceSubscriptions: ["slow://one"] };
  void client.ask("subscriptions/listen", alone({ notifications }), "gone");
  while (upstream.lines.length === 0) await turns(1);
  await upstream.line.saw("resources/list");
  // The server does not list in time, so the caller is told that it is watched, and gives it up.
  await client.until(({ method }) => method === "notifications/subscriptions/acknowledged");
  client.notify("notifications/cancelled", { requestId: "gone" });
  await turns(3);
  open();
  await turns(50);
  const asked = upstream.line.methods();
  const subscribed = asked.filter((method) => method === "resources/subscribe").length;
  expect(asked.filter((method) => method === "resources/unsubscribe")).toHaveLength(subscribed);
});
