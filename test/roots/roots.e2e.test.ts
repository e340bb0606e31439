import { expect, it } from "vitest";
import { readJson, readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions("roots", ({ open, since }) => {
  it("are given to a handler that asks, as they are then", async () => {
    const { client, wire } = await open({ roots: ["file:///work", { uri: "file:///home", name: "Home" }] });
    const asked = async () => readJson(await client.tools.call("ask-roots"));
    expect(await asked()).toEqual([{ uri: "file:///work" }, { uri: "file:///home", name: "Home" }]);

    await client.setRoots(["file:///elsewhere"]);
    expect(await asked()).toEqual([{ uri: "file:///elsewhere" }]);
    const told = wire.sent.filter(({ method }) => method === "notifications/roots/list_changed");
    expect(told).toHaveLength(since({ "2024-11-05": 1, "2026-07-28": 0 }));
  });

  it("of a client that has none can't be asked for", async () => {
    const { client, wire } = await open();
    const call = client.tools.call("ask-roots");
    if (since({ "2024-11-05": true, "2026-07-28": false }))
      expect(readText(await call)).toContain('needs the capability "roots"');
    else await expect(call).rejects.toMatchObject({ wireCode: -32021 });
    expect(wire.told("roots/list")).toEqual([]);
  });
});
