import { createRequire } from "node:module";
import { type Client, type ConnectOptions, connect, type LogMessage } from "allspeak/client";
import { expect } from "vitest";
import { Queue } from "../support/queue.ts";

const require = createRequire(import.meta.url);
const program = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
// No tool of the server tells its process, so the program that runs it does.
const sayPid = "data:text/javascript,console.error('pid',process.pid)";

/** A connection to the everything server of the official project. */
export interface Everything {
  readonly client: Client;
  /** The process that the server runs in. */
  readonly pid: number;
  readonly logs: Queue<LogMessage>;
  readonly problems: readonly Error[];
}

export async function connectEverything(options: ConnectOptions = {}): Promise<Everything> {
  const logs = new Queue<LogMessage>();
  const pids = new Queue<number>();
  const problems: Error[] = [];
  const target = {
    command: process.execPath,
    args: ["--import", sayPid, program, "stdio"],
    env: { INTEROP: "yes" },
    stderr: (line: string) => {
      const [, pid] = /^pid (\d+)$/.exec(line) ?? [];
      if (pid) pids.push(Number(pid));
    },
    shutdown: { closeMs: 300 },
  };
  const client = await connect(target, {
    ...options,
    onLog: (message) => logs.push(message),
    onProblem: (problem) => problems.push(problem),
  });
  return { client, pid: await pids.next(), logs, problems };
}

/** The texts of a result that is no error. */
export async function callForTexts(
  client: Client,
  name: string,
  args?: Record<string, unknown>,
): Promise<string[]> {
  const { content, isError } = await client.tools.call(name, args);
  expect(isError).toBeUndefined();
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

/** The next log message that has such a text. */
export async function findLog(logs: Queue<LogMessage>, pattern: RegExp): Promise<string> {
  for (;;) {
    const { data } = await logs.next();
    if (typeof data === "string" && pattern.test(data)) return data;
  }
}
