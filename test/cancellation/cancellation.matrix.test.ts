import { expect, it } from "vitest";
import { describeMatrix, type Opened } from "../matrix/matrix.ts";
import { readJson } from "../matrix/read-text.ts";

/** Calls the tool that waits for its end, and cancels it once it runs. */
async function cancelWait({ client }: Opened, name: string): Promise<unknown> {
  const controller = new AbortController();
  const onProgress = () => controller.abort(new Error("enough"));
  const call = client.tools.call("wait", { name }, { signal: controller.signal, onProgress });
  return call.catch((error: unknown) => error);
}

describeMatrix("cancellation", ({ name, open, closesStreams }) => {
  it("rejects the call, is told to the server, and reaches the handler", async () => {
    const opened = await open();
    const error = await cancelWait(opened, name);
    expect(error).toMatchObject({ code: "cancelled", message: "tools/call was cancelled: enough." });
    const { id } = opened.wire.lastSent("tools/call");
    const notices = opened.wire.sent.filter(({ method }) => method === "notifications/cancelled");
    const params = { requestId: id, reason: "enough" };
    expect(notices.map(({ params }) => params)).toEqual(closesStreams ? [] : [params]);
    expect(readJson(await opened.client.tools.call("cancellations", { name }))).toEqual({ times: 1 });
  });

  it("is never answered, and nothing is said of the call afterwards", async () => {
    const { client, wire } = await open();
    await cancelWait({ client, wire, problems: [] }, `${name}, again`);
    const { id } = wire.lastSent("tools/call");
    await client.ping();
    expect(wire.received.filter((message) => message.id === id)).toEqual([]);
    expect(wire.told("notifications/message")).toEqual([]);
  });

  it("leaves other calls alone", async () => {
    const opened = await open();
    const [error, result] = await Promise.all([
      cancelWait(opened, `${name}, one of two`),
      opened.client.tools.call("echo", { text: "still here" }),
    ]);
    expect(error).toMatchObject({ code: "cancelled" });
    expect(result.content).toEqual([{ type: "text", text: "still here" }]);
  });

  it("by a deadline is told to the server too", async () => {
    const { client, wire } = await open();
    const call = client.tools.call("wait", { name: `${name}, late` }, { timeout: { total: 50 } });
    await expect(call).rejects.toMatchObject({ code: "timeout", limit: "total" });
    const notices = wire.sent.filter(({ method }) => method === "notifications/cancelled");
    const { id } = wire.lastSent("tools/call");
    expect(notices).toMatchObject(closesStreams ? [] : [{ params: { requestId: id } }]);
  });
});
