import type { CallForwarder } from "../client/forward/call-forwarder.ts";
import type { Call } from "../contract/call.ts";
import type { Mount, PrefixedKind } from "../contract/mount/mount.ts";
import type { MountTasks } from "../contract/mount/mount-tasks.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import type { NotificationSender } from "../contract/service.ts";
import type { JsonObject } from "../lib/json.ts";
import { createCustomMethod } from "../protocol/custom-method.ts";
import type { Method } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import type { ServerCapabilities } from "../protocol/model/identity.ts";
import { passChangedRoots, passedNotifications } from "./changed-roots.ts";
import type { MainConnection } from "./main-connection.ts";
import type { UpstreamPool } from "./upstream-pool.ts";

export interface BridgeMountParts {
  /** The connection over which changes come. */
  readonly main: MainConnection;
  readonly forwarder: CallForwarder;
  readonly pool: UpstreamPool;
  readonly report: (problem: Error) => void;
}

/**
 * The server behind a bridge as a mount: each caller has a connection of its own, over which its calls, its answers
 * to questions, its progress and its logs go. Changes of lists and of resources come over one connection for all, and
 * over that of each session.
 */
export class BridgeMount implements Mount {
  readonly #parts: BridgeMountParts;

  constructor(parts: BridgeMountParts) {
    this.#parts = parts;
  }

  get name(): string | undefined {
    return this.#parts.main.mount.name;
  }

  get capabilities(): ServerCapabilities {
    return this.#parts.main.mount.capabilities;
  }

  get tasks(): MountTasks | undefined {
    return this.#parts.main.mount.tasks && this.#parts.forwarder.tasks;
  }

  has(kind: PrefixedKind, name: string): boolean | undefined {
    return this.#parts.main.mount.has?.(kind, name);
  }

  async watch(uri: string): Promise<void> {
    await this.#parts.main.watch(uri);
  }

  unwatch(uri: string): void {
    this.#parts.main.unwatch(uri);
  }

  onChange(listener: (event: ServerEvent) => void): () => void {
    const stops = [this.#parts.main.onChange(listener), this.#parts.pool.onEvent(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async setLogLevel(call: Call): Promise<void> {
    const { pool, report } = this.#parts;
    try {
      const { upstream, release } = await pool.lease(call);
      const setting = upstream.setLogLevel(call);
      release();
      await setting;
    } catch (error) {
      report(error as Error);
    }
  }

  setSubscriptions(call: Call): Promise<void> {
    return this.#parts.pool.setSubscriptions(call);
  }

  /** Only the server behind the bridge knows its custom methods, so that all are passed on. */
  passedMethod(name: string): Method | undefined {
    if (methods.has(name) || name.startsWith("rpc.")) return undefined;
    return createCustomMethod(name, { kind: "request", from: "client" });
  }

  customNotifications(): readonly Method[] {
    return passedNotifications();
  }

  notify(method: string, _params: JsonObject, sender: NotificationSender): Promise<void> {
    return passChangedRoots(method, sender, this.#parts);
  }

  request(call: Call): Promise<JsonObject> {
    return this.#parts.forwarder.request(call);
  }
}
