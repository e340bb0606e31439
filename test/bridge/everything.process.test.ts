import { createRequire } from "node:module";
import { openBridge } from "allspeak/bridge";
import { openGateway } from "allspeak/gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveEverything } from "../interop/http/everything.ts";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";

const program = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const uri = "demo://resource/dynamic/text/1";

const targets = {
  stdio: async () => ({ command: process.execPath, args: [program, "stdio"] }),
  HTTP: async () => {
    const { url, stop } = await serveEverything("streamableHttp");
    onTestFinished(stop);
    return url;
  },
};

describe.each(Object.entries(targets))("the official server-everything over %s", (_, reach) => {
  it("sends updates of subscribed resources and changes of its list through a bridge", async () => {
    const bridge = await openBridge(await reach());
    onTestFinished(() => bridge.close());
    const [updates, lists] = [new Queue<unknown>(), new Queue<string>()];
    const client = await openClient(bridge.server, {
      revisions: ["2025-11-25"],
      onNotification: (method, params) => {
        if (method === "notifications/resources/updated") updates.push(params.uri);
        if (method === "notifications/resources/list_changed") lists.push(method);
      },
    });
    await client.tools.list().all();
    await client.subscribe({ resources: [uri] });
    await client.tools.call("toggle-subscriber-updates");
    expect(await updates.next()).toBe(uri);
    await client.tools.call("gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello" });
    expect(await lists.next()).toBe("notifications/resources/list_changed");
  });

  it("sends updates of subscribed resources through a gateway", async () => {
    const gateway = await openGateway({ servers: { all: await reach() }, listMs: 60_000 });
    onTestFinished(() => gateway.close());
    const updates = new Queue<unknown>();
    const client = await openClient(gateway.server, {
      revisions: ["2025-11-25"],
      onNotification: (method, params) =>
        method === "notifications/resources/updated" && updates.push(params.uri),
    });
    await client.tools.call("all__echo", { message: "hi" });
    await client.subscribe({ resources: [uri] });
    await client.tools.call("all__toggle-subscriber-updates");
    expect(await updates.next()).toBe(uri);
  });
});
