import { expect, it } from "vitest";
import { describeMatrix } from "../matrix/matrix.ts";
import { changesOf } from "./changes.ts";

describeMatrix("subscriptions", ({ open, since, closesStreams }) => {
  it("tell of updates to the resources that were asked for, and of no others", async () => {
    const touched = ["fixture://notes", "fixture://bytes", "fixture://notes"];
    const { changes, subscription } = await changesOf(await open(), ["fixture://notes"], touched);
    const change = { kind: "resource", uri: "fixture://notes" };
    expect(changes).toEqual([change, change]);
    await subscription.close();
  });

  it("are one request each, or one that stays open", async () => {
    const opened = await open();
    const { subscription } = await changesOf(opened, ["fixture://notes", "fixture://bytes"], []);
    await subscription.close();
    const methods = opened.wire.sent
      .map(({ method }) => `${method}`)
      .filter((method) => !method.startsWith("tools/"));
    expect(methods).toEqual(
      since({
        "2024-11-05": [
          "resources/subscribe",
          "resources/subscribe",
          "resources/unsubscribe",
          "resources/unsubscribe",
        ],
        "2026-07-28": ["subscriptions/listen", ...(closesStreams ? [] : ["notifications/cancelled"])],
      }),
    );
  });

  it("are acknowledged before anything else is told, and each notice names its subscription", async () => {
    const opened = await open();
    const { subscription } = await changesOf(opened, ["fixture://notes"], ["fixture://notes"]);
    const notices = opened.wire.received.filter(({ method }) => method !== undefined);
    const tagOf = ({ params }: (typeof notices)[number]) =>
      (params as { _meta?: Record<string, unknown> })._meta?.["io.modelcontextprotocol/subscriptionId"];
    expect(notices.map((notice) => [notice.method, tagOf(notice)])).toEqual(
      since<() => unknown[]>({
        "2024-11-05": () => [["notifications/resources/updated", undefined]],
        "2026-07-28": () => {
          const { id } = opened.wire.lastSent("subscriptions/listen");
          return [
            ["notifications/subscriptions/acknowledged", id],
            ["notifications/resources/updated", id],
          ];
        },
      })(),
    );
    await subscription.close();
  });

  it("tell nothing once they are closed", async () => {
    const opened = await open();
    const { changes, subscription } = await changesOf(opened, ["fixture://notes"], []);
    await subscription.close();
    await opened.client.tools.call("touch", { uri: "fixture://notes" });
    await opened.client.tools.call("nothing");
    expect(changes).toEqual([]);
    expect(opened.wire.told("notifications/resources/updated")).toEqual([]);
  });

  it("end with the connection", async () => {
    const { client } = await open({});
    const subscription = await client.subscribe({ resources: ["fixture://notes"] });
    await client.close();
    expect(await subscription.ended).toMatchObject({ by: "connection" });
  });
});
