import type { Principal } from "../contract/caller/principal.ts";
import { randomHex } from "../lib/encoding/random-token.ts";
import { streamStart } from "../state/state.ts";
import type { ClusterNode } from "./node.ts";
import { nodeOf } from "./node-id.ts";
import { keepRenewing } from "./renewal.ts";

/** A message that came to another node than the one that holds its connection. */
export interface PassedMessage {
  readonly owner: string;
  readonly principal?: Principal | undefined;
  readonly text: string;
}

type MessageListener = (id: string, message: PassedMessage) => void;

interface HeldConnection {
  readonly owner: string;
  /** The offset of the last message that was taken. */
  offset: string;
  taking: Promise<void>;
}

const registeredMs = 30_000;
const renewMs = 10_000;
const messageTtlMs = 60_000;

/**
 * The messages for connections that one node holds, and that are posted to any. Each connection has a stream of its
 * own, so that none pushes out the messages of another.
 */
export class PassedMessages {
  readonly #node: ClusterNode;
  readonly #held = new Map<string, HeldConnection>();
  #listener: MessageListener = () => {};
  #stopRenewing: (() => void) | undefined;

  constructor(node: ClusterNode) {
    this.#node = node;
    node.inbox.on("posted", ({ stream }) => this.takeNext(stream));
  }

  /** Takes the messages for the connections that this node holds. */
  onMessage(listener: MessageListener): void {
    this.#listener = listener;
  }

  /** Makes an id for a connection that this node holds, which other nodes know once it is returned. */
  async register(owner: string): Promise<string> {
    const id = `${this.#node.id}.${randomHex(16)}`;
    await this.#node.state.values.put(toKey(id), owner, registeredMs);
    this.#held.set(id, { owner, offset: streamStart, taking: Promise.resolve() });
    this.#stopRenewing ??= keepRenewing(() => this.#renew(), renewMs);
    return id;
  }

  unregister(id: string): void {
    this.#held.delete(id);
    if (this.#held.size === 0) {
      this.#stopRenewing?.();
      this.#stopRenewing = undefined;
    }
    const { values, events } = this.#node.state;
    // A note that was not removed expires.
    void Promise.allSettled([values.remove(toKey(id)), events.remove(toStream(id))]);
  }

  /** True if another node holds this connection, of this owner. */
  async isOf(id: string, owner: string): Promise<boolean> {
    const node = nodeOf(id);
    if (node === undefined || node === this.#node.id) return false;
    return (await this.#node.state.values.get(toKey(id))) === owner;
  }

  /** Passes a message on to the node that holds the connection. */
  async pass(id: string, message: PassedMessage): Promise<void> {
    await this.#node.state.events.append(toStream(id), [JSON.stringify(message)], messageTtlMs);
    await this.#node.inbox.send(nodeOf(id) ?? "", { type: "posted", stream: id });
  }

  /** Takes the messages of a connection that other nodes have accepted, one reading after the other. */
  async takeNext(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    // The reading before has reported its failure, and this one reads the same.
    held.taking = held.taking.catch(() => {}).then(() => this.#take(id, held));
    await held.taking;
  }

  async #take(id: string, held: HeldConnection): Promise<void> {
    const { events } = this.#node.state;
    const stream = toStream(id);
    const found =
      (await events.after(stream, held.offset)) ?? (await events.after(stream, streamStart)) ?? [];
    for (const { offset, text } of found) {
      held.offset = offset;
      this.#listener(id, JSON.parse(text) as PassedMessage);
    }
  }

  async #renew(): Promise<void> {
    const { values } = this.#node.state;
    await Promise.all(
      [...this.#held].map(async ([id, { owner }]) => values.put(toKey(id), owner, registeredMs)),
    );
  }
}

function toKey(id: string): string {
  return `connection/${id}`;
}

function toStream(id: string): string {
  return `posted/${id}`;
}
