import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions("cancellation", ({ open }) => {
  it("before the call is sent sends nothing", async () => {
    const { client, wire } = await open();
    const call = client.tools.call("echo", { text: "" }, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    expect(wire.sent).toEqual([]);
  });
});
