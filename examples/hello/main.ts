// A server with one tool, and a client that calls it:
//   node scripts/run.js examples/hello/main.ts           calls it in this process, and as a program of its own
//   node scripts/run.js examples/hello/main.ts --stdio   serves it on standard input and output
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Client, connect } from "allspeak/client";
import { serveStdio } from "allspeak/node";
import { server } from "./server.ts";

if (process.argv.includes("--stdio")) await serveStdio(server);
else await callBoth();

async function callBoth(): Promise<void> {
  await greet("in this process", await connect(server));
  const program = fileURLToPath(import.meta.url);
  await greet("over stdio", await connect({ command: process.execPath, args: [program, "--stdio"] }));
  console.log("All as expected.");
}

async function greet(where: string, client: Client): Promise<void> {
  const { content } = await client.tools.call("hello", { name: "Ada" });
  console.log(`${where}, revision ${client.server.revision}:`, content);
  assert.deepEqual(content, [{ type: "text", text: "Hello, Ada!" }]);
  await client.close();
}
