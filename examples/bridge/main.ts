// A client of 2026-07-28 over HTTP uses a server of 2024-11-05 on stdio; the bridge stands between them:
//   node scripts/run.js examples/bridge/main.ts
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { openBridge } from "allspeak/bridge";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";

const program = fileURLToPath(new URL("old-server.js", import.meta.url));
const bridge = await openBridge({ command: process.execPath, args: [program] });
const running = await serveHttp(bridge.server);

const client = await connect(running.url, {
  revisions: ["2026-07-28"],
  sample: ({ messages }) => {
    console.log("the old server asks the model:", JSON.stringify(messages[0]?.content));
    return { role: "assistant", model: "m", content: { type: "text", text: "A boat without a motor." } };
  },
});
console.log(`The client speaks ${client.server.revision} to ${client.server.info?.name}.`);
assert.equal(client.server.revision, "2026-07-28");

const known = await client.tools.call("define", { word: "bridge" });
console.log("define bridge:", known.content);
assert.deepEqual(known.content, [{ type: "text", text: "A way from one side to the other." }]);

// The old server sends a request in the middle of the call. The client gets it as a round, and answers.
const asked = await client.tools.call("define", { word: "sailing boat" });
console.log("define sailing boat:", asked.content);
assert.deepEqual(asked.content, [{ type: "text", text: "A boat without a motor." }]);

await client.close();
await running.close();
await bridge.close(); // ends the old server's process
console.log("All as expected.");
