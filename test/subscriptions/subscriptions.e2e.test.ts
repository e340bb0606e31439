import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";
import { changesOf } from "./changes.ts";

describeRevisions("subscriptions", ({ open }) => {
  it("say what the server agreed to", async () => {
    const { client } = await open();
    const subscription = await client.subscribe({ tools: true, resources: ["fixture://notes"] });
    expect(subscription.agreed).toEqual({ tools: true, resources: ["fixture://notes"] });
    await subscription.close();
    expect(await subscription.ended).toEqual({ by: "client" });
  });

  it("of several listeners to one resource are independent", async () => {
    const opened = await open();
    const first = await changesOf(opened, ["fixture://notes"], []);
    const second = await changesOf(opened, ["fixture://notes"], []);
    await first.subscription.close();
    await opened.client.tools.call("touch", { uri: "fixture://notes" });
    await opened.client.tools.call("nothing");
    expect(first.changes).toEqual([]);
    expect(second.changes).toHaveLength(1);
    await second.subscription.close();
  });
});
