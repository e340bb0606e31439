import { expect, onTestFinished, test } from "vitest";
import { nested, startHostileServer } from "../support/hostile-server.ts";
import { openPage, type Page } from "../support/page.ts";

async function openHostile(): Promise<{ page: Page; connection: string }> {
  const hostile = await startHostileServer();
  onTestFinished(() => hostile.close());
  const { page } = await openPage();
  const { connection } = await page.send("connect", { target: { kind: "url", url: hostile.url } });
  return { page, connection: connection.id };
}

test("a message of 10,000 levels is kept on the wire, in a recording and in its file, and stays too deep for a peer", async () => {
  const { page, connection } = await openHostile();
  await expect(page.send("call-tool", { connection, name: "deep", arguments: {} })).rejects.toThrow("nested");
  const filter = { search: nested(1_000) };
  const { entries } = await page.send("read-wire", { filter, from: 0, count: 10 });
  expect(entries).toMatchObject([{ kind: "invalid", isCut: true }]);
  const { text } = await page.send("read-wire-entry", { seq: entries[0]?.seq ?? 0 });
  expect(text).toContain(nested(10_000));

  const { recording } = await page.send("save-recording", { connection, name: "deep" });
  const file = await page.send("read-recording", { recording: recording.id });
  // What lies deeper than secrets are looked for is masked whole.
  expect(file.text).toContain(`"text":"{\\"jsonrpc\\":\\"2.0\\"`);
  expect(file.text).toContain("[".repeat(150));
  const loaded = await page.send("load-recording", { name: "again", text: file.text });
  expect(loaded.recording.messages).toBe(recording.messages);
  const shown = await page.send("show-recording", { recording: loaded.recording.id });
  const again = { connections: [shown.connection], kinds: ["invalid"] } as const;
  expect(await page.send("read-wire", { filter: again, from: 0, count: 10 })).toMatchObject({ matching: 1 });
  const [left, right] = [recording.id, loaded.recording.id];
  const { comparison } = await page.send("compare-recordings", { left, right });
  expect(comparison).toMatchObject({ different: 0 });
  const target = { kind: "connection", connection } as const;
  const replayed = await page.send("replay-recording", { recording: recording.id, target });
  expect(replayed.comparison).toMatchObject({ different: 0 });
});

test("a message of 6 MB is kept, recorded, shown again and compared", async () => {
  const { page, connection } = await openHostile();
  const call = { connection, name: "huge", arguments: {} };
  const { result } = await page.send("call-tool", call);
  expect(result.content).toMatchObject([{ text: expect.stringMatching(/^x{3000000}$/) }]);
  const { recording } = await page.send("save-recording", { connection, name: "huge" });
  expect(recording.bytes).toBeGreaterThan(6_000_000);
  const shown = await page.send("show-recording", { recording: recording.id });
  const filter = { connections: [shown.connection], kinds: ["response"] } as const;
  const { entries } = await page.send("read-wire", { filter, from: 0, count: 10 });
  expect(entries.at(-1)).toMatchObject({ isCut: true });
  const target = { kind: "connection", connection } as const;
  const { comparison } = await page.send("replay-recording", { recording: recording.id, target });
  expect(comparison).toMatchObject({ different: 0 });
});

test("a file whose message is nested deeper than any peer reads is refused in words", async () => {
  const { page } = await openPage();
  const head = { transcript: 1, startedAt: "2026-01-01T00:00:00.000Z", transport: { kind: "stdio" } };
  const line = `{"at":1,"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"deep":${nested(10_000)}}}}`;
  const loading = page.send("load-recording", { name: "bomb", text: `${JSON.stringify(head)}\n${line}` });
  await expect(loading).rejects.toThrow("Line 2 of the transcript must have a message of at most 128 levels");
});
