import { fileURLToPath } from "node:url";
import { type Client, connect, type ToolsOf } from "allspeak/client";
import { server } from "./server.ts";

type EverythingClient = Client<ToolsOf<typeof server>>;

const main = fileURLToPath(new URL("main.js", import.meta.url));
const command = { command: process.execPath, args: [main, "--stdio"] };

/** Prints what the server offers, how it answers its oldest and its newest clients, and how a host starts it. */
export async function showTour(): Promise<void> {
  const newest = await connect<typeof server>(server);
  const oldest = await connect<typeof server>(server, { revisions: ["2024-11-05"] });
  await showOffer(newest);
  console.log("One call, as clients of two revisions see it answered:\n");
  for (const client of [oldest, newest]) await showCall(client);
  await Promise.all([oldest.close(), newest.close()]);

  console.log("\nTo add it to a host, put this into its list of servers:\n");
  console.log(JSON.stringify({ mcpServers: { everything: command } }, undefined, 2));
  console.log("\nTo say something to it from a shell:\n");
  console.log(`  echo '${oneLine}' | npm run --silent everything -- --stdio`);
}

async function showOffer(client: EverythingClient): Promise<void> {
  const [tools, resources, templates, prompts] = await Promise.all([
    client.tools.list().all(),
    client.resources.list().all(),
    client.resources.templates().all(),
    client.prompts.list().all(),
  ]);
  console.log(`The server "${client.server.info?.name}" offers\n`);
  const columns = tools.map(({ name, description }) => `${name.padEnd(44)}${description}`);
  show("tools", columns);
  show("resources", [...resources.map(({ uri }) => uri), ...templates.map(({ uriTemplate }) => uriTemplate)]);
  const names = prompts.map(({ name }) => name);
  show("prompts", names);
}

function show(what: string, lines: readonly string[]): void {
  console.log(`${lines.length} ${what}\n  ${lines.join("\n  ")}\n`);
}

async function showCall(client: EverythingClient): Promise<void> {
  const { content } = await client.tools.call("test_audio_content");
  console.log(`  ${client.server.revision}  ${JSON.stringify(content)}`);
}

const oneLine = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "test_simple_text",
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});
