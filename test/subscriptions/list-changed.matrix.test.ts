import type { Change } from "allspeak";
import { expect, it } from "vitest";
import { describeMatrix, type Opened } from "../matrix/matrix.ts";

const everything = { tools: true, prompts: true, resourceList: true };
const oneOfEach: Change[] = [{ kind: "tools" }, { kind: "resources" }, { kind: "prompts" }];

const last = "fixture://notes";

/** What a client hears of while it makes the server change; an update of a resource says that this was all. */
async function hearOf({ client }: Opened, change: () => Promise<unknown>): Promise<Change[]> {
  const changes: Change[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const subscription = await client.subscribe({ ...everything, resources: [last] }, (each) => {
    if (each.kind === "resource") finish();
    else changes.push(each);
  });
  await change();
  await client.tools.call("touch", { uri: last });
  await finished;
  await subscription.close();
  return changes;
}

/** Which of the three things of a name the client can list. */
async function listed({ client }: Opened, name: string): Promise<string[]> {
  const fresh = { fresh: true };
  const [tools, resources, prompts] = await Promise.all([
    client.tools.list(fresh).all(),
    client.resources.list(fresh).all(),
    client.prompts.list(fresh).all(),
  ]);
  const all = { tools, resources, prompts };
  return Object.entries(all).flatMap(([kind, items]) =>
    items.some((item) => item.name === name) ? [kind] : [],
  );
}

describeMatrix("changes of what is offered", ({ open, since }) => {
  it("are declared", async () => {
    const { client } = await open();
    expect(client.server.capabilities).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
  });

  it("are told, once for each list, when something is registered, disabled, enabled or removed", async () => {
    const opened = await open();
    const { client } = opened;
    const name = "later";
    const change = (action: string) => client.tools.call("change", { name, action });

    expect(await hearOf(opened, () => client.tools.call("register", { name }))).toEqual(oneOfEach);
    expect(await listed(opened, name)).toEqual(["tools", "resources", "prompts"]);
    expect(await hearOf(opened, () => change("disable"))).toEqual(oneOfEach);
    expect(await listed(opened, name)).toEqual([]);
    expect(await hearOf(opened, () => change("enable"))).toEqual(oneOfEach);
    expect(await listed(opened, name)).toEqual(["tools", "resources", "prompts"]);
    expect(await hearOf(opened, () => change("remove"))).toEqual(oneOfEach);
    expect(await listed(opened, name)).toEqual([]);
  });

  it("are not told when nothing has changed", async () => {
    const opened = await open();
    const { client } = opened;
    await hearOf(opened, () => client.tools.call("register", { name: "steady" }));
    const enable = () => client.tools.call("change", { name: "steady", action: "enable" });
    expect(await hearOf(opened, enable)).toEqual([]);
    await client.tools.call("change", { name: "steady", action: "remove" });
  });

  it("come unasked, or only to those who listen", async () => {
    const { client, wire } = await open();
    await client.tools.call("register", { name: "unasked" });
    await client.tools.call("change", { name: "unasked", action: "remove" });
    await client.tools.call("nothing");
    const told = wire.received.flatMap(({ method }) => (typeof method === "string" ? [method] : []));
    expect(new Set(told)).toEqual(
      new Set(
        since<string[]>({
          "2024-11-05": [
            "notifications/tools/list_changed",
            "notifications/resources/list_changed",
            "notifications/prompts/list_changed",
          ],
          "2026-07-28": [],
        }),
      ),
    );
  });

  it("make a disabled item unknown to calls as well", async () => {
    const { client } = await open();
    await client.tools.call("register", { name: "hideous" });
    await client.tools.call("change", { name: "hideous", action: "disable" });
    await expect(client.tools.call("hideous")).rejects.toMatchObject({ wireCode: -32602 });
    await expect(client.prompts.get("hideous")).rejects.toMatchObject({ wireCode: -32602 });
    await expect(client.resources.read("later://hideous")).rejects.toMatchObject({
      data: { uri: "later://hideous" },
    });
    await client.tools.call("change", { name: "hideous", action: "remove" });
  });

  it("drop what the client kept of a list", async () => {
    const opened = await open();
    const { client } = opened;
    await client.tools.list().all();
    await hearOf(opened, () => client.tools.call("register", { name: "fresh" }));
    const names = (await client.tools.list().all()).map(({ name }) => name);
    expect(names).toContain("fresh");
    await hearOf(opened, () => client.tools.call("change", { name: "fresh", action: "remove" }));
  });

  it("are cached as long as the server said, where it can say so", async () => {
    const { client, wire } = await open();
    await client.resources.templates({ fresh: true }).all();
    await client.resources.templates().all();
    const { ttlMs, cacheScope } = wire.result("resources/templates/list");
    expect({ asked: wire.sent.length, ttlMs, cacheScope }).toEqual(
      since<object>({
        "2024-11-05": { asked: 2 },
        "2026-07-28": { asked: 1, ttlMs: 5_000, cacheScope: "public" },
      }),
    );
  });
});
