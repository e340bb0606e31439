// Checks the everything server from outside, once as a client of each revision:
//   node scripts/run.js examples/everything/client.ts
import assert from "node:assert/strict";
import { connect } from "allspeak/client";
import { server } from "./server.ts";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

for (const revision of revisions) {
  const client = await connect<typeof server>(server, { revisions: [revision] });
  assert.equal(client.server.revision, revision);
  const tools = await client.tools.list().all();
  const { content } = await client.tools.call("test_audio_content");
  console.log(`${revision}: ${tools.length} tools; audio arrives as ${content[0]?.type}`);
  // 2024-11-05 has no audio: its clients get a line of text instead.
  assert.equal(content[0]?.type, revision === "2024-11-05" ? "text" : "audio");
  const { contents } = await client.resources.read("test://static-text");
  assert.equal(contents.length, 1);
  const { messages } = await client.prompts.get("test_simple_prompt");
  assert.equal(messages.length, 1);
  await client.close();
}
console.log("All as expected.");
