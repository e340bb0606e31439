import { passChangedRoots } from "../bridge/changed-roots.ts";
import { UpstreamPool } from "../bridge/upstream-pool.ts";
import type { Client } from "../client/client.ts";
import { CallForwarder } from "../client/forward/call-forwarder.ts";
import type { ConnectOptions } from "../client/options.ts";
import { type ChangeThrottle, throttleChanges } from "../client/subscriptions/throttle-changes.ts";
import type { Call } from "../contract/call.ts";
import { toHolder } from "../contract/caller/holder.ts";
import type { Mount } from "../contract/mount/mount.ts";
import type { MountTasks } from "../contract/mount/mount-tasks.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import type { NotificationSender } from "../contract/service.ts";
import { ServerHeldError, ServerUnavailableError } from "../errors/host-errors.ts";
import { RegistrationError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { HostServer } from "../host/server/managed-server.ts";
import { FairRoom } from "../lib/bounded/fair-room.ts";
import type { JsonObject } from "../lib/json.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import { type ItemList, ListedItems } from "./listed-items.ts";
import type { GatewayOptions } from "./options.ts";

export interface ServerRouteParts {
  readonly host: Host;
  readonly server: HostServer;
  readonly options: GatewayOptions;
  /** The calls that are being sent, by their arguments. */
  readonly calls: WeakMap<object, Call>;
  report(problem: Error, server: string): void;
  /** Called when callers can be connected to the server. */
  onConnected(server: string): void;
  onChange(event: ServerEvent): void;
}

const busyRetryMs = 1_000;
/** Items of one server that are reported as left out; one that has more has been reported enough. */
const maxLeftOut = 20;

/** A change of a list that the gateway reads itself. The host reads the tools, and reports when they differ. */
interface ListChange {
  readonly kind: "prompts" | "resources";
}

/** One server of a gateway: the connections of its callers, and the host's, over which lists and updates come. */
export class ServerRoute {
  readonly server: HostServer;
  readonly #parts: ServerRouteParts;
  readonly #report: (problem: Error) => void;
  readonly #pool: UpstreamPool;
  readonly #forwarder: CallForwarder;
  readonly #lists: ListedItems;
  /** The calls that run; no principal takes the places of all. */
  readonly #running: FairRoom;
  readonly #changes: ChangeThrottle<ListChange>;
  /** The resources that are watched, for the next connection. */
  readonly #watched = new Set<string>();
  readonly #leftOut = new Set<string>();
  #main: { readonly client: Client; readonly mount: Mount } | undefined;

  constructor(parts: ServerRouteParts) {
    const { server, options } = parts;
    const report = (problem: Error) => parts.report(problem, server.name);
    this.#report = report;
    this.server = server;
    this.#parts = parts;
    const { isolation, maxConnections, idleMs, maxRunning = 100 } = options;
    this.#running = new FairRoom(maxRunning);
    const connect = (handlers: ConnectOptions) => this.#connect(handlers);
    const watches = (uri: string) => this.#watched.has(uri);
    this.#pool = new UpstreamPool({ isolation, maxConnections, idleMs, connect, report, watches });
    // Lists are read over the connection of the host.
    this.#pool.onEvent((event) => isListChange(event) || parts.onChange(event));
    this.#forwarder = new CallForwarder(this.#pool, report);
    this.#lists = new ListedItems({
      connect: async () => (await this.#mainConnection()).client,
      onLate: (kind) => parts.onChange({ kind }),
      onFailure: report,
    });
    this.#changes = throttleChanges((change) => {
      this.#lists.forget(change.kind);
      parts.onChange(change);
    });
  }

  /** The tasks that run at the server. */
  get tasks(): MountTasks {
    return this.#forwarder.tasks;
  }

  /** Answers a call in the words of the server. */
  async request(call: Call): Promise<JsonObject> {
    const holder = toHolder(call);
    if (!this.#running.take(1, holder))
      throw limitReached(LimitCode.overloaded, `The server "${this.server.name}" is busy`, busyRetryMs);
    try {
      return await this.#forwarder.request(call);
    } finally {
      this.#running.giveBack(1, holder);
    }
  }

  /** Sets the level of a session over the connections that are open for it. Never rejects. */
  async setLogLevel(call: Call): Promise<void> {
    try {
      for await (const { upstream } of this.#pool.openFor(call)) await upstream.setLogLevel(call);
    } catch (problem) {
      this.#report(problem as Error);
    }
  }

  /** Subscribes for a session over the connection that it alone uses. Never rejects. */
  setSubscriptions(call: Call): Promise<void> {
    return this.#pool.setSubscriptions(call);
  }

  notify(method: string, sender: NotificationSender): Promise<void> {
    return passChangedRoots(method, sender, { pool: this.#pool, report: this.#report });
  }

  /** The items that the server lists in time. */
  items(list: ItemList, waitMs: number): Promise<readonly JsonObject[]> {
    return this.#lists.items(list, waitMs);
  }

  /** Reports, once, an item that is left out of a list, since another server has its name or URI. */
  reportLeftOut(item: string, owner: string): void {
    if (this.#leftOut.has(item) || this.#leftOut.size >= maxLeftOut) return;
    this.#leftOut.add(item);
    const { name } = this.server;
    this.#report(
      new RegistrationError(`${item} of the server "${name}" is left out: the server "${owner}" has it.`),
    );
  }

  async watch(uri: string): Promise<void> {
    this.#watched.add(uri);
    const { mount } = await this.#mainConnection();
    // It may have been given up meanwhile.
    if (this.#watched.has(uri)) await mount.watch?.(uri);
  }

  unwatch(uri: string): void {
    if (this.#watched.delete(uri)) this.#main?.mount.unwatch?.(uri);
  }

  /** Follows the server over its new connection, after the one before was lost. */
  renew(): void {
    if (this.#main) void this.#mainConnection().catch(this.#report);
  }

  async close(): Promise<void> {
    this.#changes.stop();
    this.#forwarder.close();
    await this.#pool.close();
  }

  /** Opens the connection of a caller. */
  async #connect(handlers: ConnectOptions): Promise<Client> {
    const { host, server, onConnected } = this.#parts;
    // A server that fails is not started again for each caller: the pauses of the host count for all.
    await host.client(server.name);
    try {
      const client = await host.connect(server.name, this.#toConnectOptions(handlers));
      onConnected(server.name);
      return client;
    } catch (error) {
      this.#report(toReason(server.name, error as Error));
      throw error;
    }
  }

  #toConnectOptions(handlers: ConnectOptions): ConnectOptions {
    const { server, options, calls } = this.#parts;
    const { consent } = options;
    return {
      tasks: true,
      ...handlers,
      ...(consent && {
        consent: (call) => {
          const { principal } = calls.get(call.arguments) ?? {};
          return consent({ ...call, serverName: server.name, principal });
        },
      }),
    };
  }

  async #mainConnection(): Promise<{ readonly client: Client; readonly mount: Mount }> {
    const { host, server, onChange } = this.#parts;
    const client = await host.client(server.name);
    if (this.#main?.client === client) return this.#main;
    const main = { client, mount: client["~mount"]() };
    const isRenewed = this.#main !== undefined;
    this.#main = main;
    main.mount.onChange((event) => this.#onEvent(event));
    for (const uri of this.#watched)
      main.mount
        .watch?.(uri)
        .then(() => isRenewed && onChange({ kind: "resource", uri }))
        .catch(this.#report);
    // Another process may have other items.
    if (isRenewed) for (const kind of ["prompts", "resources"] as const) this.#changes.onChange({ kind });
    return main;
  }

  #onEvent(event: ServerEvent): void {
    const { kind } = event;
    if (kind === "prompts" || kind === "resources") this.#changes.onChange({ kind });
    // A server speaks for its own resources only.
    else if (kind === "resource" && this.#watched.has(event.uri))
      this.#parts.onChange(this.#pool.exceptOwn(event));
  }
}

/** The reason why a caller has no connection, although the host has one. */
function toReason(server: string, error: Error): Error {
  return error instanceof ServerHeldError ? error : new ServerUnavailableError(server, 0, { cause: error });
}

function isListChange({ kind }: ServerEvent): boolean {
  return kind === "tools" || kind === "prompts" || kind === "resources";
}
