import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DevTools } from "./dev-tools.ts";

/** A page in a browser without a window. */
export interface Page {
  /** Runs a program in the page, and returns its value; a promise is awaited. */
  evaluate(program: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens a page in Chromium. */
export async function openPage(url: string): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), "page-"));
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"];
  const child = spawn("chromium", [...args, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close").catch(() => {
    throw new Error("There is no chromium here. Run with --serve, and open the page in a browser of yours.");
  });
  const address = await Promise.race([findAddress(child.stderr), ended]);
  const tools = await DevTools.open(String(address));
  await tools.send("Page.enable", {});
  const loaded = tools.event("Page.loadEventFired");
  await tools.send("Page.navigate", { url });
  await loaded;
  return {
    async evaluate(expression) {
      const params = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await tools.send("Runtime.evaluate", params);
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { value?: unknown }).value;
    },
    async close() {
      tools.close();
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The address that the browser prints when it can be driven. */
async function findAddress(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [, address] = /DevTools listening on (\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error("Chromium ended before its page was open.");
}
