import { createServer } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { connect } from "allspeak/client";
import { expect, it, onTestFinished } from "vitest";
import { Queue } from "../support/queue.ts";

it.each(["2024-11-05", "2025-11-25"] as const)(
  "a server of %s behind a bridge hears that the roots of a client have changed, and of no other client",
  async (revision) => {
    const heard = new Queue<string | undefined>();
    const server = createServer({ name: "rooted", version: "1", revisions: [revision] });
    server.tool("roots", {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
    server.onNotification("notifications/roots/list_changed", {}, (_, sender) =>
      heard.push(sender.session?.id),
    );
    const bridge = await openBridge(server);
    onTestFinished(() => bridge.close());
    const open = async (root: string) => {
      const client = await connect(bridge.server, { revisions: ["2025-11-25"], roots: [root] });
      onTestFinished(() => client.close());
      await client.tools.call("roots");
      return client;
    };
    const [ann] = [await open("file:///ann"), await open("file:///bob")];
    await ann.setRoots(["file:///elsewhere"]);
    expect(await heard.next()).toEqual(expect.any(String));
    expect((await ann.tools.call("roots")).content).toMatchObject([{ text: "file:///elsewhere" }]);
    expect(heard.drain()).toEqual([]);
  },
);
