import type { ServedSessions } from "../client/forward/served-sessions.ts";
import type { Report } from "../client/report.ts";
import type { Call } from "../contract/call.ts";
import { toHolder } from "../contract/caller/holder.ts";
import type { Mount } from "../contract/mount/mount.ts";
import { RpcError } from "../errors.ts";
import type { FairRoom } from "../lib/bounded/fair-room.ts";
import { hasCapability } from "../protocol/model/identity.ts";

export interface OwnSubscriptionsOptions {
  /** The room for the subscriptions of all connections. Without it, updates come over the connection for all. */
  readonly room: FairRoom;
  /** Returns whether updates of a resource are wanted of this server. */
  readonly watches: (uri: string) => boolean;
  readonly report: Report;
}

interface OwnConnection {
  readonly mount: Pick<Mount, "watch" | "unwatch" | "capabilities">;
  readonly sessions: ServedSessions;
}

interface Held {
  readonly holder: string;
  /** True once the server has agreed to send updates. */
  isOpen: boolean;
}

/**
 * The subscriptions of a session over the connection that it alone has ever used: a server may keep subscriptions and
 * resources for each connection.
 */
export class OwnSubscriptions {
  readonly #connection: OwnConnection;
  readonly #options: OwnSubscriptionsOptions;
  readonly #held = new Map<string, Held>();

  constructor(connection: OwnConnection, options: OwnSubscriptionsOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.sessions.onLastEnd(() => this.close());
  }

  /** The session that updates of a resource come for over this connection, by its id. */
  subscriber(uri: string): string | undefined {
    return this.#held.get(uri)?.isOpen ? this.#connection.sessions.onlySession : undefined;
  }

  /** Subscribes to what the session of the call is subscribed to, and to nothing else. Never rejects. */
  async follow(call: Call): Promise<void> {
    const { session } = call;
    const isAlone = session !== undefined && session.id === this.#connection.sessions.onlySession;
    const uris = isAlone && !session.hasEnded && this.#canSubscribe ? [...(session.subscriptions ?? [])] : [];
    const wanted = new Set(uris.filter(this.#options.watches));
    for (const uri of [...this.#held.keys()]) if (!wanted.has(uri)) this.#end(uri);
    const missing = [...wanted].filter((uri) => !this.#held.has(uri));
    await Promise.all(missing.map((uri) => this.#begin(uri, call)));
  }

  close(): void {
    for (const uri of [...this.#held.keys()]) this.#end(uri);
  }

  get #canSubscribe(): boolean {
    return hasCapability(this.#connection.mount.capabilities, "resources.subscribe");
  }

  async #begin(uri: string, call: Call): Promise<void> {
    const { room, report } = this.#options;
    const holder = toHolder(call);
    if (!room.take(1, holder)) return;
    const held = { holder, isOpen: false };
    this.#held.set(uri, held);
    try {
      await this.#connection.mount.watch?.(uri, call);
      held.isOpen = true;
    } catch (error) {
      if (this.#held.get(uri) === held) this.#end(uri);
      // After a refusal, updates come over the connection for all, which has agreed.
      if (!(error instanceof RpcError)) report(error as Error);
    }
  }

  #end(uri: string): void {
    const held = this.#held.get(uri);
    if (held === undefined) return;
    this.#held.delete(uri);
    this.#options.room.giveBack(1, held.holder);
    this.#connection.mount.unwatch?.(uri);
  }
}
