import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions("progress", ({ open }) => {
  it("is not sent to a caller who did not ask for it", async () => {
    const { client, wire } = await open();
    // With a limit for silence, every call asks: progress is its sign of life.
    await client.tools.call("steps", {}, { timeout: { idle: Number.POSITIVE_INFINITY } });
    expect(wire.told("notifications/progress")).toEqual([]);
  });
});
