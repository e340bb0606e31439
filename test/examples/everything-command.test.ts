import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect } from "allspeak/client";
import { describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../../build/examples/everything/main.js", import.meta.url));

describe("the everything server's command", () => {
  const run = promisify(execFile);

  it("tells what it offers and how to talk to it, serves, and ends when told to", async () => {
    const child = spawn(process.execPath, [main], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "close");
    let said = "";
    const url = await new Promise<string>((resolve) => {
      child.stdout.on("data", (chunk) => {
        said += chunk;
        const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said) ?? [];
        if (found) resolve(found);
      });
    });
    const client = await connect(url);
    expect(await client.tools.call("test_simple_text")).toMatchObject({ content: [{ type: "text" }] });
    await client.close();
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(said).toContain("test_simple_text");
    expect(said).toContain('"mcpServers"');
    expect(said).toContain("2024-11-05");
  });

  it("refuses what it does not know", async () => {
    await expect(run(process.execPath, [main, "--carrier-pigeon"])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("usage:"),
    });
  });
});
