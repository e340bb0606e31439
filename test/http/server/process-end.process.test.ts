import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

async function run(program: string): Promise<string> {
  const path = fileURLToPath(new URL(`fixtures/${program}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path], { timeout: 15_000 });
  return stdout;
}

it("a process ends when its servers have closed, though streams and sessions were left behind", async () => {
  expect(await run("http-closed.mjs")).toBe("closed\n");
});

it("handlers that talk without end to clients that don't listen do not stop the process", async () => {
  expect(await run("http-endless.mjs")).toBe("all aborted\n");
});
