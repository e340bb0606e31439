import { createMemoryPipe, type Pipe, type Server, servePipe } from "allspeak";
import { describe, onTestFinished } from "vitest";
import { RawClient } from "../support/raw-client.ts";
import { loadServer } from "./servers/load.ts";

/** Connects without a client of ours, for the length of one test. */
export type OpenRaw = () => Promise<RawClient>;

/** Defines cases on the wire itself, over the pipe in memory: for what no pipe can change. */
export function describeRawInMemory(name: string, define: (open: OpenRaw) => void): void {
  describe(name, () => {
    describe("over memory", () =>
      define(async () => {
        const raw = new RawClient(openMemory(await loadServer("full")));
        onTestFinished(() => raw.close());
        return raw;
      }));
  });
}

export function openMemory(server: Server<unknown>): Pipe {
  const [near, far] = createMemoryPipe();
  servePipe(server, far);
  return near;
}
