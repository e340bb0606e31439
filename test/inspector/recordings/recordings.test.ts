import { createServer, tool } from "allspeak";
import { parseTranscript, replay } from "allspeak/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openPage } from "../support/page.ts";

function createGreeter(greeting: string) {
  const greet = tool(
    "greet",
    { input: z.object({ name: z.string() }) },
    ({ name }) => `${greeting}, ${name}.`,
  );
  return createServer({ name: "greeter", version: "1.0.0", tools: [greet] });
}

async function openRecorded() {
  const [old, changed] = [createGreeter("Hello"), createGreeter("Welcome")];
  const { page } = await openPage({ servers: { old: { target: old }, changed: { target: changed } } });
  const { connection } = await page.send("connect", { target: { kind: "offered", name: "old" } });
  await page.send("list-tools", { connection: connection.id });
  await page.send("call-tool", { connection: connection.id, name: "greet", arguments: { name: "Ada" } });
  const { recording } = await page.send("save-recording", {
    connection: connection.id,
    name: "the first run",
  });
  return { page, recording, server: old };
}

describe("recordings", () => {
  test("a recording is a transcript of the testing kit, and replays in a test", async () => {
    const { page, recording, server } = await openRecorded();
    expect(recording).toMatchObject({ server: "greeter", revision: "2026-07-28", name: "the first run" });
    const { fileName, text } = await page.send("read-recording", { recording: recording.id });
    expect(fileName).toBe("the-first-run.jsonl");
    expect(parseTranscript(text).entries).toHaveLength(recording.messages);
    (await replay(text).toServer(server)).assertSame();

    const { files } = await page.send("recording-as-test", { recording: recording.id });
    expect(files.map((file) => file.fileName)).toEqual(["the-first-run.test.ts", "the-first-run.jsonl"]);
    expect(files[0]?.text).toContain("replay(transcript).toServer(server)");
  });

  test("replayed against a server, it shows what has changed", async () => {
    const { page, recording } = await openRecorded();
    const target = { kind: "offered", name: "changed" } as const;
    const { comparison } = await page.send("replay-recording", { recording: recording.id, target });
    expect(comparison).toMatchObject({ same: 1, different: 1 });
    expect(comparison.pairs.at(-1)).toMatchObject({
      method: "tools/call",
      name: "greet",
      state: "different",
      differences: [
        { path: "/content/0/text", kind: "changed", left: "Hello, Ada.", right: "Welcome, Ada." },
      ],
    });
  });

  test("a recording can be connected to as a server", async () => {
    const { page, recording } = await openRecorded();
    const { connection } = await page.send("connect-recording", { recording: recording.id });
    expect(connection).toMatchObject({ state: "open", revision: "2026-07-28" });
    const greeting = { connection: connection.id, name: "greet", arguments: { name: "Ada" } };
    const { items } = await page.send("list-tools", { connection: connection.id });
    expect(items).toHaveLength(1);
    const { result } = await page.send("call-tool", greeting);
    expect(result.content).toMatchObject([{ text: "Hello, Ada." }]);
  });

  test("a file is loaded, compared and deleted; one that is no transcript is refused", async () => {
    const { page, recording } = await openRecorded();
    const { text } = await page.send("read-recording", { recording: recording.id });
    const loaded = await page.send("load-recording", { name: "again", text: text.replace("Hello", "Bye") });
    const { comparison } = await page.send("compare-recordings", {
      left: recording.id,
      right: loaded.recording.id,
    });
    expect(comparison).toMatchObject({ same: 1, different: 1 });
    await page.send("delete-recording", { recording: recording.id });
    const { recordings } = await page.send("list-recordings", {});
    expect(recordings.map(({ name }) => name)).toEqual(["again"]);
    await expect(page.send("load-recording", { name: "bad", text: "{}" })).rejects.toThrow(
      "not a transcript",
    );
  });
});
