import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { Served } from "./serving.ts";

const program = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const preload = new URL("../fixtures/on-loopback.mjs", import.meta.url).href;
const paths = { streamableHttp: "/mcp", sse: "/sse" };

/** Starts the everything server of the official project, over HTTP in one of its two ways. */
export async function serveEverything(way: "streamableHttp" | "sse"): Promise<Served> {
  const child = spawn(process.execPath, ["--import", preload, program, way], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  for await (const line of createInterface(child.stderr)) {
    const [, port] = /^port (\d+)$/.exec(line) ?? [];
    if (port === undefined) continue;
    child.stderr.resume();
    return { url: `http://127.0.0.1:${port}${paths[way]}`, stop };
  }
  throw new Error("The everything server ended before it listened.");
}
