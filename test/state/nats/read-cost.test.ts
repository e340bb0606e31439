import { connect } from "@nats-io/transport-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasNats, openState, url } from "./support.ts";

/** Counts the bytes that scans are sent, of all streams of this server. */
async function countScanned() {
  const connection = await connect({ servers: new URL(url).host });
  onTestFinished(() => connection.close());
  let bytes = 0;
  connection.subscribe("_INBOX.allspeak.>", {
    callback: (_, { data }) => {
      bytes += data.length;
    },
  });
  await connection.flush();
  return async () => {
    await connection.flush();
    return bytes;
  };
}

describe.skipIf(!hasNats)("a long stream that is read page by page", () => {
  it.each([
    { texts: 100, appends: 40 },
    { texts: 1, appends: 600 },
  ])("costs little more than its bytes, with $texts texts in each append", async ({ texts, appends }) => {
    const { events } = openState();
    const batch = Array.from({ length: texts }, () => "x".repeat(1_000));
    for (let at = 0; at < appends; at++) await events.append("stream", batch, 60_000);
    const scanned = await countScanned();
    let read = 0;
    for (let offset = "0"; ; ) {
      const page = (await events.after("stream", offset, 256)) ?? [];
      read += page.length;
      offset = page.at(-1)?.offset ?? offset;
      if (page.length < 256) break;
    }
    expect(read).toBe(texts * appends);
    const stored = texts * appends * 1_000;
    expect(await scanned()).toBeGreaterThan(stored / 2);
    expect(await scanned()).toBeLessThan(2 * stored);
  });
});
