// Three servers behind one endpoint: one old, one new, one that does not start:
//   node scripts/run.js examples/gateway/main.ts
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";

const notes = createServer({
  name: "notes",
  version: "1.0.0",
  revisions: ["2026-07-28"],
  tools: [
    tool("search", { description: "Finds notes" }, () => "Buy bread."),
    tool("wipe", { description: "Deletes all notes" }, () => "All notes are gone."),
  ],
});
const dictionary = fileURLToPath(new URL("../bridge/old-server.js", import.meta.url));
const calls: string[] = [];

const gateway = await openGateway({
  servers: {
    notes,
    words: { command: process.execPath, args: [dictionary] },
    broken: { command: "there-is-no-such-program" },
  },
  tools: { notes: { search: { rename: "find_notes" }, wipe: { deny: true } } },
  audit: ({ server, tool, outcome }) => calls.push(`${server} ${tool}: ${outcome}`),
  onProblem: (problem) => console.log("a problem, and the others go on:", problem.message),
});
const running = await serveHttp(gateway.server);

// Clients of any revision see one server.
for (const revision of ["2024-11-05", "2026-07-28"] as const) {
  const client = await connect(running.url, { revisions: [revision] });
  const names = (await client.tools.list().all()).map(({ name }) => name);
  console.log(`In ${revision} there are`, names);
  assert.deepEqual(names.sort(), ["find_notes", "words__define"]);

  const found = await client.tools.call("find_notes");
  assert.deepEqual(found.content, [{ type: "text", text: "Buy bread." }]);
  const defined = await client.tools.call("words__define", { word: "bridge" });
  assert.deepEqual(defined.content, [{ type: "text", text: "A way from one side to the other." }]);
  // A tool that is denied can't be called by its name either.
  await assert.rejects(client.tools.call("notes__wipe"));
  await client.close();
}

console.log("The audit:", calls);
assert.deepEqual(
  calls.filter((call) => call.endsWith("ok")),
  ["notes search: ok", "words define: ok", "notes search: ok", "words define: ok"],
);

await running.close();
await gateway.close(); // ends the servers that it started
console.log("All as expected.");
