import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions("progress", ({ open }) => {
  it("is not sent to a caller who did not ask for it", async () => {
    const { client, wire } = await open();
    await client.tools.call("steps");
    expect(wire.told("notifications/progress")).toEqual([]);
  });
});
