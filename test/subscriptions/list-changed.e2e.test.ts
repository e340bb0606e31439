import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";
import { changesDuring } from "./changes.ts";

describeRevisions("changes of what is offered", ({ open, since }) => {
  it("are declared", async () => {
    const { client } = await open();
    expect(client.server.capabilities).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
  });

  it("are not told when nothing has changed", async () => {
    const opened = await open();
    const { client } = opened;
    await changesDuring(opened, () => client.tools.call("register", { name: "steady" }));
    const enable = () => client.tools.call("change", { name: "steady", action: "enable" });
    expect(await changesDuring(opened, enable)).toEqual([]);
    await client.tools.call("change", { name: "steady", action: "remove" });
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
    await changesDuring(opened, () => client.tools.call("register", { name: "fresh" }));
    const names = (await client.tools.list().all()).map(({ name }) => name);
    expect(names).toContain("fresh");
    await changesDuring(opened, () => client.tools.call("change", { name: "fresh", action: "remove" }));
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
