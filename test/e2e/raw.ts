import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createMemoryPipe, type Pipe, servePipe } from "allspeak";
import { describe, onTestFinished } from "vitest";
import { RawClient } from "../support/raw-client.ts";
import { type FixtureName, loadServer } from "./fixture/load.ts";
import { childCommand, type TransportName, transportNames } from "./matrix.ts";

/** Connects without a client of ours, for the length of one test. */
export type OpenRaw = () => Promise<RawClient>;

/** Defines the same cases for every transport, on the wire itself. */
export function describeRaw(
  name: string,
  define: (open: OpenRaw) => void,
  fixture: FixtureName = "full",
): void {
  describe(name, () => {
    for (const transport of transportNames) {
      describe(`over ${transport}`, () => define(() => openRaw(fixture, transport)));
    }
  });
}

async function openRaw(fixture: FixtureName, transport: TransportName): Promise<RawClient> {
  const raw = new RawClient(transport === "memory" ? await openMemory(fixture) : openChild(fixture));
  onTestFinished(() => raw.close());
  return raw;
}

async function openMemory(fixture: FixtureName): Promise<Pipe> {
  const [near, far] = createMemoryPipe();
  servePipe(await loadServer(fixture), far);
  return near;
}

/** The standard streams of a child process, line by line and nothing else. */
function openChild(fixture: FixtureName): Pipe {
  const { command, args } = childCommand(fixture);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  return {
    kind: "stdio",
    start: (sink) => {
      createInterface({ input: child.stdout }).on("line", (line) => sink.onText(line));
    },
    write: (text) => {
      child.stdin.write(`${text}\n`);
    },
    close: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
