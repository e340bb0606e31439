import { expect, it } from "vitest";
import { describeMatrix, type Place } from "./matrix.ts";
import { readJson, readText } from "./read-text.ts";

const canAsk = ({ since }: Place) => since({ "2024-11-05": true, "2026-07-28": false });

describeMatrix("roots", (place) => {
  const { open, revision, since } = place;

  it("are given to a handler that asks for them", async () => {
    const { client } = await open({ roots: ["file:///work", { uri: "file:///home", name: "Home" }] });
    const result = await client.tools.call("ask-roots");
    if (canAsk(place)) {
      expect(readJson(result)).toEqual([{ uri: "file:///work" }, { uri: "file:///home", name: "Home" }]);
    } else {
      expect(readText(result)).toBe(
        `Asking "roots" by roots/list in the middle of a call does not exist in revision ${revision}.`,
      );
    }
  });

  it("are told to have changed, where the revision has a word for it", async () => {
    const { client, wire } = await open({ roots: ["file:///work"] });
    await client.setRoots(["file:///elsewhere"]);
    const told = wire.sent.filter(({ method }) => method === "notifications/roots/list_changed");
    expect(told).toHaveLength(since({ "2024-11-05": 1, "2026-07-28": 0 }));
    if (canAsk(place)) {
      expect(readJson(await client.tools.call("ask-roots"))).toEqual([{ uri: "file:///elsewhere" }]);
    }
  });

  it("of a client that has none can't be asked for", async () => {
    const { client, wire } = await open();
    const call = client.tools.call("ask-roots");
    if (canAsk(place)) expect(readText(await call)).toContain('needs the capability "roots"');
    else await expect(call).rejects.toMatchObject({ wireCode: -32021 });
    expect(wire.told("roots/list")).toEqual([]);
  });
});
