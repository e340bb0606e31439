import { createServer, scopes } from "allspeak";
import { connect } from "allspeak/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { Queue } from "../support/queue.ts";

/** Subscribes to everything, and hears of what it may. */
async function listenTo(revision: "2025-11-25" | "2026-07-28", name: string) {
  const server = createServer({ name: "secrets", version: "1" });
  const isInsider = ({ client }: { client: { info?: { name: string } | undefined } }) =>
    client.info?.name === "insider";
  server.resource("x://plain", { name: "plain" }, () => "");
  server.resource("x://hidden", { name: "hidden", enabled: isInsider }, () => "");
  server.resource("x://{id}/ruled", { name: "ruled", access: isInsider }, () => "");
  server.resource("x://scoped", { name: "scoped", access: scopes("read") }, () => "");
  const client = await connect(server, { revisions: [revision], info: { name, version: "1" } });
  onTestFinished(() => client.close());
  return { server, client };
}

const uris = ["x://hidden", "x://1/ruled", "x://unlisted", "x://plain"];

describe.each(["2025-11-25", "2026-07-28"] as const)("in %s", (revision) => {
  it.each([
    ["insider", uris],
    ["outsider", ["x://unlisted", "x://plain"]],
  ])("an %s hears of changes of what it can see", async (name, expected) => {
    const { server, client } = await listenTo(revision, name);
    const heard = new Queue<string>();
    await client.subscribe({ resources: uris }, (news) => news.kind === "resource" && heard.push(news.uri));
    for (const uri of uris) void server.resources.updated(uri);
    for (const uri of expected) expect(await heard.next()).toBe(uri);
  });

  it("scopes that are lacking are asked for", async () => {
    const { client } = await listenTo(revision, "insider");
    await expect(client.subscribe({ resources: ["x://scoped"] })).rejects.toMatchObject({
      data: { scopes: ["read"] },
    });
  });
});
