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
import { hasCapability, type ServerCapabilities } from "../protocol/model/identity.ts";
import { revisions } from "../protocol/revisions/index.ts";
import type { UpstreamPool } from "./upstream-pool.ts";

const rootsChanged = "notifications/roots/list_changed";

export interface BridgeMountParts {
  /** The connection over which changes come. */
  readonly main: Mount;
  readonly forwarder: CallForwarder;
  readonly pool: UpstreamPool;
  readonly report: (problem: Error) => void;
}

/**
 * The server behind a bridge as a mount: each caller has a connection of its own, over which its calls, its answers
 * to questions, its progress and its logs go. Changes of lists and of resources come over one connection for all.
 */
export class BridgeMount implements Mount {
  readonly #parts: BridgeMountParts;

  constructor(parts: BridgeMountParts) {
    this.#parts = parts;
  }

  get name(): string | undefined {
    return this.#parts.main.name;
  }

  get capabilities(): ServerCapabilities {
    return this.#parts.main.capabilities;
  }

  get tasks(): MountTasks | undefined {
    return this.#parts.main.tasks && this.#parts.forwarder.tasks;
  }

  has(kind: PrefixedKind, name: string): boolean | undefined {
    return this.#parts.main.has?.(kind, name);
  }

  async watch(uri: string): Promise<void> {
    await this.#parts.main.watch?.(uri);
  }

  unwatch(uri: string): void {
    this.#parts.main.unwatch?.(uri);
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
      await upstream.setLogLevel(call).finally(release);
    } catch (error) {
      report(error as Error);
    }
  }

  /** Only the server behind the bridge knows its custom methods, so that all are passed on. */
  passedMethod(name: string): Method | undefined {
    if (methods.has(name) || name.startsWith("rpc.")) return undefined;
    return createCustomMethod(name, { kind: "request", from: "client" });
  }

  customNotifications(): readonly Method[] {
    const row = methods.get(rootsChanged);
    return row ? [row] : [];
  }

  /** Passes it on that the roots of a client have changed, over the connections that are open for it. */
  async notify(method: string, _params: JsonObject, sender: NotificationSender): Promise<void> {
    const revision = revisions.find(({ version }) => version === sender.revision);
    const isDeclared = hasCapability(sender.client.capabilities, "roots.listChanged");
    if (method !== rootsChanged || revision === undefined || !isDeclared) return;
    const { pool, report } = this.#parts;
    for await (const { client } of pool.openFor({ ...sender, revision }))
      await client.notifyRootsChanged().catch(report);
  }

  request(call: Call): Promise<JsonObject> {
    return this.#parts.forwarder.request(call);
  }
}
