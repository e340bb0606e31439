import { createServer, type RevisionName } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../support/open-client.ts";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
const names = ["a", "b", "c", "d", "e"];

/** A server that lists its items in three pages, and the lists whose further pages were read. */
function createPaged(revision: RevisionName) {
  const server = createServer({ name: "paged", version: "1", revisions: [revision], pageSize: 2 });
  const furtherPages: string[] = [];
  for (const name of names) {
    server.tool(name, {}, () => name);
    server.prompt(name, {}, () => name);
    server.resource(`note://${name}`, { name }, () => name);
    server.resource(`note://${name}/{id}`, { name }, () => name);
  }
  server.use((call, next) => {
    if (call.params.cursor !== undefined) furtherPages.push(call.method);
    return next();
  });
  return { server, furtherPages };
}

describe.each(revisions)("the lists of a server of %s, in pages", (upstream) => {
  it.each(revisions)("arrive whole through a bridge at a client of %s", async (revision) => {
    const { server, furtherPages } = createPaged(upstream);
    const bridge = await openBridge(server);
    onTestFinished(() => bridge.close());
    const { tools, prompts, resources } = await openClient(bridge.server, { revisions: [revision] });
    const lists = {
      "tools/list": await tools.list().all(),
      "prompts/list": await prompts.list().all(),
      "resources/list": await resources.list().all(),
      "resources/templates/list": await resources.templates().all(),
    };
    for (const list of Object.values(lists)) expect(list.map(({ name }) => name)).toEqual(names);
    expect(furtherPages).toEqual(Object.keys(lists).flatMap((method) => [method, method]));
  });
});
