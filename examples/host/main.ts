// A host: it starts the servers of a file, gives their tools to a model, asks the user before a tool runs, and shows
// what happens:
//   node scripts/run.js examples/host/main.ts
// The model is a script (model.ts), so that no key is needed; a real one takes the same tools and answers.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openHost, toAnthropicResult, toAnthropicTools } from "allspeak/host";
import { createModel, type Message } from "./model.ts";

const folder = mkdtempSync(join(tmpdir(), "host-"));
const config = join(folder, "mcp.json");
const notes = fileURLToPath(new URL("../notes/main.js", import.meta.url));
// The form that Claude, Cursor and others keep; `${NODE}` is filled in when the server starts.
writeFileSync(
  config,
  `{
    // servers of this user
    "mcpServers": {
      "notes": { "command": "\${NODE}", "args": [${JSON.stringify(notes)}, "--stdio"] },
      "broken": { "command": "no-such-program" },
    },
  }`,
);

const shown: string[] = [];
const show = (line: string) => {
  shown.push(line);
  console.log(line);
};

const host = await openHost({
  config,
  env: { ...process.env, NODE: process.execPath },
  approve: ({ server, entry }) => {
    show(`user: start ${server}? ${"command" in entry ? entry.command : entry.url}: yes`);
    return true;
  },
  consent: ({ serverName, name, tool }) => {
    const isAllowed = tool?.annotations?.readOnlyHint === true || name === "delete-note";
    show(`user: run ${name} of ${serverName}? ${isAllowed ? "yes" : "no"}`);
    return isAllowed;
  },
  elicit: (ask, { serverName }) => {
    show(`user: ${serverName} asks: ${ask.message} no`);
    return { action: "decline" };
  },
  onProblem: (problem, serverName) => show(`host: ${serverName}: ${problem.message}`),
});

const model = createModel([
  { tool: "notes__search-notes", input: { word: "cheese" } },
  { tool: "notes__add-note", input: { title: "spam", body: "Buy now." } },
  { tool: "notes__delete-note", input: { title: "shopping" } },
  { tool: "weather__get", input: {} },
]);

const messages: Message[] = [{ role: "user", content: "Tidy up my notes." }];
for (;;) {
  const answer = model(messages, toAnthropicTools(await host.modelTools()));
  messages.push({ role: "assistant", content: answer });
  const uses = answer.filter((block) => block.type === "tool_use");
  if (uses.length === 0) break;
  const results = await Promise.all(
    uses.map(async ({ id, name, input }) => toAnthropicResult(id, await host.call(name, input))),
  );
  for (const { content, is_error } of results)
    show(
      `model gets: ${is_error ? "error: " : ""}${content.map((block) => (block.type === "text" ? block.text : block.type)).join(" ")}`,
    );
  messages.push({ role: "user", content: results });
}

const states = host.servers.map(({ name, state }) => `${name} is ${state}`);
show(`host: ${states.join(", ")}`);
await host.close();
rmSync(folder, { recursive: true });

assert.ok(shown.includes('model gets: {"titles":["shopping"]}'));
assert.ok(shown.includes("user: run add-note of notes? no"));
assert.ok(shown.includes("model gets: error: The user did not allow this call. Do not repeat it."));
assert.ok(shown.includes('user: notes asks: Delete "shopping"? no'));
assert.ok(shown.includes('model gets: Kept "shopping".'));
assert.ok(shown.includes('model gets: error: There is no tool "weather__get".'));
assert.deepEqual(states, ["notes is ready", "broken is failed"]);
console.log("All as expected.");
