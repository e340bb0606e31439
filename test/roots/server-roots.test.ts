import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";
import { rootedServer } from "../support/rooted-server.ts";

it.each(["2024-11-05", "2025-11-25"] as const)(
  "a server of %s is notified that the roots of a client have changed, and can ask for them",
  async (revision) => {
    const { server, changed } = rootedServer(revision);
    const running = await serveHttp(server);
    onTestFinished(() => running.close(0));
    for (const target of [server, running.url, new URL("/sse", running.url).href]) {
      const client = await connect(target, { roots: ["file:///before"] });
      onTestFinished(() => client.close());
      await client.setRoots(["file:///after"]);
      expect(await changed.next()).toEqual(expect.any(String));
      expect((await client.tools.call("roots")).content).toMatchObject([{ text: "file:///after" }]);
    }
    expect(changed.drain()).toEqual([]);
  },
);
