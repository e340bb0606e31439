// Runs what was built under plain Node, by the names that users import.
import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "./paths.ts";

test("a server and its client talk in memory", () => {
  const program = `
    import { createServer, tool } from "allspeak";
    import { connect } from "allspeak/client";
    const echo = tool("echo", { input: { type: "object" } }, () => "hello");
    const client = await connect(createServer({ name: "smoke", version: "1.0.0", tools: [echo] }));
    console.log(JSON.stringify((await client.tools.call("echo", {})).content));
    await client.close();
  `;
  const args = ["--input-type=module", "--eval", program];
  const output = execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect(JSON.parse(output)).toEqual([{ type: "text", text: "hello" }]);
});

test("npm run --silent everything -- --stdio writes protocol to standard output, and nothing else", {
  timeout: 60_000,
}, () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const { stdout, status } = spawnSync("npm", ["run", "--silent", "everything", "--", "--stdio"], {
    cwd: root,
    encoding: "utf8",
    input: `${JSON.stringify(ping)}\n`,
    shell: process.platform === "win32",
  });
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  expect(status).toBe(0);
});
