import type { Change } from "allspeak/client";
import { expect, test } from "vitest";
import { Queue } from "../../support/queue.ts";
import type { Talk } from "./talk.ts";

export function testChanges({ client }: Talk): void {
  test("our client hears of updates to what it subscribed to, until it has had enough", async () => {
    const touch = (uri: string) => client().tools.call("touch", { uri });
    const notes = new Queue<Change>();
    const first = await client().subscribe({ resources: ["fixture://notes"] }, (change) =>
      notes.push(change),
    );
    await touch("fixture://bytes");
    await touch("fixture://notes");
    expect(await notes.next()).toEqual({ kind: "resource", uri: "fixture://notes" });
    await first.close();
    expect(await first.ended).toEqual({ by: "client" });

    const bytes = new Queue<Change>();
    const second = await client().subscribe({ resources: ["fixture://bytes"] }, (change) =>
      bytes.push(change),
    );
    await touch("fixture://notes");
    await touch("fixture://bytes");
    expect(await bytes.next()).toEqual({ kind: "resource", uri: "fixture://bytes" });
    await second.close();
    expect([...notes.drain(), ...bytes.drain()]).toEqual([]);
  });

  test("our client hears that lists have changed, and finds what came and misses what went", async () => {
    const changes = new Queue<string>();
    const everything = { tools: true, prompts: true, resourceList: true };
    const subscription = await client().subscribe(everything, ({ kind }) => changes.push(kind));
    expect(subscription.agreed).toEqual(everything);

    expect((await client().tools.call("toggle")).content).toEqual([{ type: "text", text: "added" }]);
    expect((await changes.take(3)).sort()).toEqual(["prompts", "resources", "tools"]);
    expect((await client().tools.call("later")).content).toEqual([{ type: "text", text: "I am later" }]);
    const prompts = await client().prompts.list().all();
    expect(prompts.at(-1)).toEqual({ name: "later", description: "Came later" });

    expect((await client().tools.call("toggle")).content).toEqual([{ type: "text", text: "removed" }]);
    expect((await changes.take(3)).sort()).toEqual(["prompts", "resources", "tools"]);
    const tools = await client().tools.list().all();
    expect(tools.map(({ name }) => name)).not.toContain("later");
    await subscription.close();
  });
}
