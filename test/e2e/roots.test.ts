import { expect, it } from "vitest";
import { describeMatrix, type Place } from "./matrix.ts";
import { readJson, readText } from "./read-text.ts";

const canAsk = ({ since }: Place) => since({ "2024-11-05": true, "2026-07-28": false });

describeMatrix("roots", (place) => {
  const { open, revision, since } = place;

  it("are given to a handler that asks, as they are then", async () => {
    const { client, wire } = await open({ roots: ["file:///work", { uri: "file:///home", name: "Home" }] });
    const asked = async () => {
      const result = await client.tools.call("ask-roots");
      return canAsk(place) ? readJson(result) : readText(result);
    };
    const refusal = `Asking "roots" by roots/list in the middle of a call does not exist in revision ${revision}.`;
    const roots = [{ uri: "file:///work" }, { uri: "file:///home", name: "Home" }];
    expect(await asked()).toEqual(canAsk(place) ? roots : refusal);

    await client.setRoots(["file:///elsewhere"]);
    expect(await asked()).toEqual(canAsk(place) ? [{ uri: "file:///elsewhere" }] : refusal);
    const told = wire.sent.filter(({ method }) => method === "notifications/roots/list_changed");
    expect(told).toHaveLength(since({ "2024-11-05": 1, "2026-07-28": 0 }));
  });

  it("of a client that has none can't be asked for", async () => {
    const { client, wire } = await open();
    const call = client.tools.call("ask-roots");
    if (canAsk(place)) expect(readText(await call)).toContain('needs the capability "roots"');
    else await expect(call).rejects.toMatchObject({ wireCode: -32021 });
    expect(wire.told("roots/list")).toEqual([]);
  });
});
