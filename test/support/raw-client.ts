import { createMemoryPipe, type Pipe, type Server, servePipe } from "allspeak";
import { RawClient as BaseClient } from "../../src/testing/zoo/raw-client.ts";
import { WireCheck } from "./wire-schema/wire-check.ts";

export type Wire = Record<string, unknown>;

/** A client that says what the test says; what the server sends is checked against the schema of its revision. */
export class RawClient extends BaseClient {
  constructor(pipe: Pipe) {
    const check = new WireCheck("server");
    super(pipe, { onMessage: (message, direction) => check.tap(message, direction) });
  }

  get heard(): Wire[] {
    return this.received;
  }

  say(message: unknown): void {
    this.send(message);
  }

  /** Waits until everything under way has been delivered. */
  async settle(): Promise<Wire[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.heard;
  }
}

export function openRaw(server: Server<unknown>): RawClient {
  const [near, far] = createMemoryPipe();
  servePipe(server, far);
  return new RawClient(near);
}

/** The metadata with which a request names the newest revision. */
export function alone(params: Wire = {}, capabilities: Wire = {}, version = "2026-07-28"): Wire {
  return {
    ...params,
    _meta: {
      ...(params._meta as Wire | undefined),
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    },
  };
}
