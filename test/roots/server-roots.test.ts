import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";
import { Queue } from "../support/queue.ts";

it.each(["2024-11-05", "2025-11-25"] as const)(
  "a server of %s hears that the roots of a client have changed, and can ask for them",
  async (revision) => {
    const heard = new Queue<string | undefined>();
    const server = createServer({ name: "rooted", version: "1", revisions: [revision] });
    server.tool("roots", {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
    server.onNotification("notifications/roots/list_changed", {}, (_, sender) =>
      heard.push(sender.session?.id),
    );
    const running = await serveHttp(server);
    onTestFinished(() => running.close(0));
    for (const target of [server, running.url, new URL("/sse", running.url).href]) {
      const client = await connect(target, { roots: ["file:///before"] });
      onTestFinished(() => client.close());
      await client.setRoots(["file:///after"]);
      expect(await heard.next()).toEqual(expect.any(String));
      expect((await client.tools.call("roots")).content).toMatchObject([{ text: "file:///after" }]);
    }
    expect(heard.drain()).toEqual([]);
  },
);
