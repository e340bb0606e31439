import { expect, it } from "vitest";
import { describeMatrix } from "../matrix/matrix.ts";
import { readText } from "../matrix/read-text.ts";

describeMatrix("a connection", ({ open, revision, since }) => {
  it("knows whom it speaks to, and how", async () => {
    const { client } = await open();
    expect(client.server).toMatchObject({ info: { name: "fixture" }, revision });
    expect(client.hint).toMatchObject({ revision });
  });

  it("gives a sign of life", async () => {
    const { client, wire } = await open();
    await client.ping();
    const method = since({ "2024-11-05": "ping", "2026-07-28": "server/discover" });
    expect(wire.sent.map((message) => message.method)).toEqual([method]);
  });

  it("tells a tool who calls", async () => {
    const { client } = await open();
    const result = await client.tools.call("whoami", {}, { meta: { "example.com/trace": "t1" } });
    const [block] = result.content;
    expect(JSON.parse(block?.type === "text" ? block.text : "")).toMatchObject({
      client: { info: { name: "allspeak" }, capabilities: {} },
      revision,
      hasSession: since({ "2024-11-05": true, "2026-07-28": false }),
      hasPrincipal: false,
      meta: { "example.com/trace": "t1" },
    });
  });

  it("that closes rejects what is waiting, and everything after", async () => {
    const { client, wire } = await open({});
    const waiting = client.tools.call("wait", { name: "forever" }, { onProgress: () => {} });
    await wire.arrival("notifications/progress");
    const closing = client.close();
    await expect(waiting).rejects.toMatchObject({ code: "connection-closed" });
    await closing;
    await expect(client.ping()).rejects.toMatchObject({ code: "connection-closed" });
    expect(await client.closed).toMatchObject({ code: "connection-closed" });
  });

  it("carries many calls at once", async () => {
    const { client } = await open();
    const calls = Array.from({ length: 100 }, (_, index) => client.tools.call("echo", { text: `${index}` }));
    const answers = (await Promise.all(calls)).map(readText);
    expect(answers).toEqual(calls.map((_, index) => `${index}`));
  });

  it("carries large and strange text unharmed", async () => {
    const { client } = await open();
    const text = `${'\u2028\u2029\u0000\ud83d\ude00 "\\\n\r\t é'}${"x".repeat(1_000_000)}`;
    expect(readText(await client.tools.call("echo", { text }))).toBe(text);
  });
});
