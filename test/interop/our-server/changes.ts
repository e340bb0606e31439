import { expect, test } from "vitest";
import type { Talk } from "./talk.ts";

const listChanges = [
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/tools/list_changed",
];

export function testChanges({ official }: Talk): void {
  test("the client hears of updates to what it subscribed to, until it has had enough", async () => {
    const { call, changes, watch } = official();
    const stop = await watch(["fixture://notes"]);
    await call("touch", { uri: "fixture://bytes" });
    await call("touch", { uri: "fixture://notes" });
    expect(await changes.next()).toBe("fixture://notes");
    await stop();

    const stopOther = await watch(["fixture://bytes"]);
    await call("touch", { uri: "fixture://notes" });
    await call("touch", { uri: "fixture://bytes" });
    expect(await changes.next()).toBe("fixture://bytes");
    await stopOther();
    expect(changes.drain()).toEqual([]);
  });

  test("the client hears that lists have changed, and finds what came and misses what went", async () => {
    const { all, call, changes, client, watch } = official();
    const stop = await watch([]);
    expect((await call("toggle")).content).toEqual([{ type: "text", text: "added" }]);
    expect((await changes.take(3)).sort()).toEqual(listChanges);
    expect((await call("later")).content).toEqual([{ type: "text", text: "I am later" }]);
    expect((await client.readResource({ uri: "fixture://later" })).contents).toMatchObject([
      { text: "I am later" },
    ]);
    expect((await all("prompts/list")).at(-1)).toEqual({ name: "later", description: "Came later" });

    expect((await call("toggle")).content).toEqual([{ type: "text", text: "removed" }]);
    expect((await changes.take(3)).sort()).toEqual(listChanges);
    await expect(call("later")).rejects.toMatchObject({ code: -32602 });
    expect((await all("tools/list")).map(({ name }) => name)).not.toContain("later");
    await stop();
  });
}
