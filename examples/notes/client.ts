// Checks the notes server from outside: what a client hears of changes, and what a restart leaves.
//   node scripts/run.js examples/notes/client.ts
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Change, type Client, connect } from "allspeak/client";

const folder = mkdtempSync(join(tmpdir(), "notes-"));
const main = fileURLToPath(new URL("main.js", import.meta.url));
const hasSqlite = process.getBuiltinModule("node:sqlite") !== undefined;

/** Starts the server with a file for its notes. */
function start(): Promise<Client> {
  const env = { NOTES_FILE: join(folder, "notes.db"), NODE_NO_WARNINGS: "1" };
  return connect({ command: process.execPath, args: [main, "--stdio"], env, stderr: "inherit" });
}

const uri = "note:///garden";
const first = await start();
const changes: Change[] = [];
let onChange = () => {};
const nextChange = () =>
  new Promise<void>((resolve) => {
    onChange = resolve;
  });
const subscription = await first.subscribe({ resourceList: true, resources: [uri] }, (change) => {
  changes.push(change);
  onChange();
});

let changed = nextChange();
await first.tools.call("add-note", { title: "garden", body: "Water the tomatoes." });
await changed;
changed = nextChange();
await first.tools.call("add-note", { title: "garden", body: "Pick the tomatoes." });
await changed;
console.log("heard:", changes);
assert.deepEqual(changes, [{ kind: "resources" }, { kind: "resource", uri }]);
await subscription.close();
await first.close();

const second = await start();
const uris = (await second.resources.list().all()).map((one) => one.uri);
console.log("after a restart:", uris);
assert.equal(uris.includes(uri), hasSqlite);
if (hasSqlite) {
  const { contents } = await second.resources.read(uri);
  assert.deepEqual(contents, [{ uri, mimeType: "text/plain", text: "Pick the tomatoes." }]);
}
await second.close();
rmSync(folder, { recursive: true });
console.log("All as expected.");
