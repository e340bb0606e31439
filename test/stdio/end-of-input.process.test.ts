import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const program = `
import { createServer } from "allspeak";
import { serveStdio } from "allspeak/node";
const server = createServer({ name: "s", version: "1" });
const ended = new Promise((resolve) => process.stdin.once("end", () => resolve("done")));
server.tool("slow", "Takes until the input has ended", () => ended);
setInterval(() => {}, 1000);
await serveStdio(server, { onShutdown: () => console.log("this is not a message") });
`;

it("a server answers what came before its input ended, and then ends", async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
  const output: string[] = [];
  child.stdout.on("data", (chunk) => output.push(String(chunk)));
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow", _meta: meta } };
  child.stdin.end(`${JSON.stringify(call)}\n`);
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(0);
  const messages = output.join("").trim().split("\n");
  expect(messages.map((line) => JSON.parse(line))).toMatchObject([
    { id: 1, result: { content: [{ text: "done" }] } },
  ]);
});
