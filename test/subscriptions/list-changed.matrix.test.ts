import type { Change } from "allspeak";
import { expect, it } from "vitest";
import { describeMatrix, type Opened } from "../matrix/matrix.ts";

const oneOfEach: Change[] = [{ kind: "tools" }, { kind: "resources" }, { kind: "prompts" }];

import { changesDuring } from "./changes.ts";

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
  it("are told, once for each list, when something is registered, disabled, enabled or removed", async () => {
    const opened = await open();
    const { client } = opened;
    const name = "later";
    const change = (action: string) => client.tools.call("change", { name, action });

    expect(await changesDuring(opened, () => client.tools.call("register", { name }))).toEqual(oneOfEach);
    expect(await listed(opened, name)).toEqual(["tools", "resources", "prompts"]);
    expect(await changesDuring(opened, () => change("disable"))).toEqual(oneOfEach);
    expect(await listed(opened, name)).toEqual([]);
    expect(await changesDuring(opened, () => change("enable"))).toEqual(oneOfEach);
    expect(await listed(opened, name)).toEqual(["tools", "resources", "prompts"]);
    expect(await changesDuring(opened, () => change("remove"))).toEqual(oneOfEach);
    expect(await listed(opened, name)).toEqual([]);
  });

  it("come unasked, or only to those who listen", async () => {
    const { client, wire } = await open();
    const unasked = since<string[]>({
      "2024-11-05": [
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
        "notifications/prompts/list_changed",
      ],
      "2026-07-28": [],
    });
    await client.tools.call("register", { name: "unasked" });
    await client.tools.call("change", { name: "unasked", action: "remove" });
    await client.tools.call("nothing");
    await Promise.all(unasked.map((method) => wire.arrival(method)));
    const told = wire.received.flatMap(({ method }) => (typeof method === "string" ? [method] : []));
    expect(new Set(told)).toEqual(new Set(unasked));
  });
});
