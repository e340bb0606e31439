import { createServer, type RevisionName, type Server } from "allspeak";
import { Queue } from "./queue.ts";

/** A server whose tool `roots` asks for the roots, and the sessions that have reported a change of theirs. */
export function rootedServer(revision: RevisionName = "2025-11-25"): {
  readonly server: Server;
  readonly changed: Queue<string | undefined>;
} {
  const changed = new Queue<string | undefined>();
  const server = createServer({ name: "rooted", version: "1", revisions: [revision] });
  server.tool("roots", {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
  server.onNotification("notifications/roots/list_changed", {}, (_, sender) =>
    changed.push(sender.session?.id),
  );
  return { server, changed };
}
