import type { Client } from "../../client/client.ts";
import type { ConnectOptions } from "../../client/options.ts";
import { ServerHeldError } from "../../errors/host-errors.ts";
import { OverloadedError, UsageError } from "../../errors.ts";
import type { FairBudget } from "../../lib/bounded/fair-budget.ts";
import type { Implementation } from "../../protocol/model/identity.ts";
import { toToolPrefix } from "../catalog/tool-names.ts";
import type {
  ConnectionOpening,
  ConnectionOwner,
  HostConnection,
  HostConnectionSettings,
} from "../connections/connection.ts";
import type { ManagedClientState } from "../connections/managed-client.ts";
import { inspectEntry, type OpenClientParts, openClient } from "./open-client.ts";
import { type ServerSpec, serverIdOf } from "./server-spec.ts";

/**
 * The state of a server: `disabled` in the configuration, `held` back until it is approved, `idle` until it is
 * needed, `starting`, `ready`, or `failed` and started again after a pause.
 */
export type ServerState = "disabled" | "held" | "idle" | "starting" | "ready" | "failed";

/** One server of a host. */
export interface HostServer {
  /** Its name in the configuration. */
  readonly name: string;
  /** The first part of the names of its tools. */
  readonly prefix: string;
  /** The key under which consent, pins and the audit know it. */
  readonly serverId: string;
  readonly state: ServerState;
  /** The reason why it is held or has failed. */
  readonly error: Error | undefined;
  /** The time before which it is not started again, after a failure. */
  readonly retryAt: Date | undefined;
  /** The name and version that it gives itself, which prove nothing; known once it was started. */
  readonly info: Implementation | undefined;
  /** The number of open connections. */
  readonly connections: number;
  /**
   * Approves the entry that was shown: the `sha256` of a ServerHeldError or a ServerApproval. Default: that of `error`.
   *
   * Rejects with UsageError if the entry, or a file that it names, is another by now.
   */
  approve(sha256?: string): Promise<void>;
  /** Closes its connections, and forgets its failures; it starts again with the next use. */
  restart(): Promise<void>;
}

export interface ManagedServerParts extends OpenClientParts {
  readonly settings: HostConnectionSettings;
  readonly budget: FairBudget<HostConnection>;
  onState(server: ManagedServer): void;
  /** Called when an entry was approved that was held back. */
  onApproved(server: ManagedServer): void;
}

/** The order in which the states of several connections count. */
const order: readonly ManagedClientState["kind"][] = ["ready", "starting", "held", "failed", "idle"];

/** A server with all its connections. */
export class ManagedServer implements HostServer, ConnectionOwner {
  readonly #parts: ManagedServerParts;
  readonly prefix: string;
  readonly #connections = new Set<HostConnection>();
  /** The clients that others connected. */
  readonly #clients = new Set<Client>();
  #spec: ServerSpec;
  #info: Implementation | undefined;
  #reported = "";
  /** The number of calls that run. */
  running = 0;

  private constructor(spec: ServerSpec, prefix: string, parts: ManagedServerParts) {
    this.#spec = spec;
    this.prefix = prefix;
    this.#parts = parts;
  }

  static async create(spec: ServerSpec, parts: ManagedServerParts): Promise<ManagedServer> {
    return new ManagedServer(spec, await toToolPrefix(spec.name), parts);
  }

  get spec(): ServerSpec {
    return this.#spec;
  }

  get settings(): HostConnectionSettings {
    return this.#parts.settings;
  }

  get name(): string {
    return this.#spec.name;
  }

  get serverId(): string {
    return serverIdOf(this.#spec);
  }

  get state(): ServerState {
    return this.#spec.isDisabled ? "disabled" : (this.#first?.kind ?? "idle");
  }

  get error(): Error | undefined {
    const state = this.#first;
    return state?.kind === "failed" || state?.kind === "held" ? state.error : undefined;
  }

  get retryAt(): Date | undefined {
    const state = this.#first;
    return state?.kind === "failed" ? new Date(state.retryAt) : undefined;
  }

  get info(): Implementation | undefined {
    return this.#info;
  }

  get connections(): number {
    return [...this.#connections].filter(({ upstream }) => upstream.state.kind === "ready").length;
  }

  add(connection: HostConnection): void {
    this.#connections.add(connection);
  }

  /** Drops a connection that nobody uses any more. */
  drop(connection: HostConnection): void {
    this.#connections.delete(connection);
    this.#parts.budget.remove(connection);
    this.#notify();
  }

  /** Opens a client for a connection, if there is room for one more. */
  async open(connection: HostConnection, request: ConnectionOpening): Promise<Client> {
    if (!this.#parts.budget.add(connection, connection.scope, 1))
      throw new OverloadedError(
        "Too many connections to servers are open; raise maxConnections if there may be more.",
      );
    try {
      const client = await openClient(this.#parts, { ...request, spec: this.#spec });
      this.#info = client.server.info;
      return client;
    } catch (error) {
      this.#parts.budget.remove(connection);
      throw error;
    }
  }

  /** Opens a connection that does not belong to the host. */
  async connect(options: ConnectOptions): Promise<Client> {
    const signal = options.signal ?? new AbortController().signal;
    const request = { spec: this.#spec, caller: {}, credentials: {}, signal, own: options };
    const client = await openClient(this.#parts, request);
    this.#clients.add(client);
    void client.closed.then(() => this.#clients.delete(client));
    return client;
  }

  onState(connection: HostConnection, { kind }: ManagedClientState): void {
    if (kind !== "starting" && kind !== "ready") this.#parts.budget.remove(connection);
    this.#notify();
  }

  report(problem: Error): void {
    this.#parts.report(problem, this.name);
  }

  /** Notifies the host if the state has changed. */
  #notify(): void {
    const shown = JSON.stringify([this.state, this.error?.message]);
    if (shown === this.#reported) return;
    this.#reported = shown;
    this.#parts.onState(this);
  }

  /** Takes a specification that reaches the server in the same way. */
  update(spec: ServerSpec): void {
    this.#spec = spec;
    this.#notify();
  }

  async approve(shown?: string): Promise<void> {
    const { source } = this.#spec;
    if ("target" in source)
      throw new UsageError(`Server "${this.name}" was given in code and needs no approval.`);
    const sha256 = shown ?? (this.error instanceof ServerHeldError ? this.error.sha256 : undefined);
    const placed = await inspectEntry(this.#parts, this.#spec, source);
    if (sha256 !== undefined && placed.inspected.sha256 !== sha256)
      throw new UsageError(
        `The entry of "${this.name}", or a file that it names, has changed since it was shown; look at it again.`,
      );
    await this.#parts.approvals.approve(placed);
    await this.restart();
    this.#parts.onApproved(this);
  }

  async restart(): Promise<void> {
    await Promise.all([
      ...[...this.#connections].map(({ upstream }) => upstream.stop()),
      ...[...this.#clients].map((client) => client.close()),
    ]);
  }

  async close(): Promise<void> {
    const all = [...this.#connections];
    this.#connections.clear();
    await Promise.all([...all, ...this.#clients].map((connection) => connection.close()));
    for (const connection of all) this.#parts.budget.remove(connection);
  }

  /** The state that stands for all connections. */
  get #first(): ManagedClientState | undefined {
    const states = [...this.#connections].map(({ upstream }) => upstream.state);
    return states.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0];
  }
}
