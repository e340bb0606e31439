import type { Client } from "../../client/client.ts";
import type { HeldTool } from "../../client/trust/pin-check.ts";
import { BackOff, type BackOffOptions } from "../../lib/async/back-off.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type { Caller } from "../caller.ts";
import type { Credentials } from "../credentials.ts";
import { ManagedClient, type ManagedClientState } from "./managed-client.ts";
import { ToolList, type ToolListLimits } from "./tool-list.ts";

/** The server that a connection belongs to. */
export interface ConnectionOwner {
  readonly name: string;
  readonly settings: HostConnectionSettings;
  open(connection: HostConnection, request: ConnectionOpening): Promise<Client>;
  onState(connection: HostConnection, state: ManagedClientState): void;
  report(problem: Error): void;
}

export interface HostConnectionSettings {
  readonly limits: ToolListLimits;
  readonly backOff: BackOffOptions | undefined;
  readonly maxRestarts: number;
  readonly idleMs: number;
}

/** One attempt to open a connection. */
export interface ConnectionOpening {
  /** The caller of all calls of the connection; empty where callers share it. */
  readonly caller: Caller;
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
}

export interface HostConnectionParts {
  readonly server: ConnectionOwner;
  /** The key of the callers that share the connection. */
  readonly scope: string;
  readonly caller: Caller;
  readonly credentials: Credentials;
  onTools(tools: readonly Tool[], held: readonly HeldTool[]): Promise<void>;
}

/** One connection with the list of its tools. */
export class HostConnection {
  readonly scope: string;
  readonly upstream: ManagedClient;
  readonly list: ToolList;

  constructor({ server, scope, caller, credentials, onTools }: HostConnectionParts) {
    const { name, settings } = server;
    const { limits, backOff, maxRestarts, idleMs } = settings;
    const report = (problem: Error) => server.report(problem);
    this.scope = scope;
    this.list = new ToolList({
      server: name,
      limits,
      onList: onTools,
      run: (signal, work) => this.upstream.run(signal, work),
      report,
    });
    this.upstream = new ManagedClient({
      server: name,
      backOff: new BackOff(backOff),
      maxRestarts,
      idleMs,
      open: (signal) => server.open(this, { caller, credentials, signal }),
      onOpen: (client) => this.list.follow(client),
      onState: (state) => server.onState(this, state),
      report,
    });
  }

  /** Closes the connection for good. */
  async close(): Promise<void> {
    this.list.forget();
    await this.upstream.close();
  }
}
