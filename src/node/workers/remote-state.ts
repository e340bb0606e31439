import { OverloadedError, StoredFormatError, UsageError } from "../../errors.ts";
import type { State } from "../../state/state.ts";
import type { IpcChannel } from "./ipc-channel.ts";
import { SessionCopies } from "./session-copies.ts";
import type { LeasedSessions } from "./session-lease.ts";
import {
  type DropRequest,
  type FromPrimary,
  type FromWorker,
  type StoreName,
  storeMethods,
} from "./worker-message.ts";

/** The state that the primary holds, as a worker uses it. All workers share it. */
export function remoteState(channel: IpcChannel<FromWorker, FromPrimary>, endpoint: number): State {
  const calls = new RemoteCalls(channel, endpoint, (session) => sessions.drop(session));
  const sessions = new SessionCopies(calls.toStore<LeasedSessions>("sessions"));
  return {
    isShared: true,
    // The primary has limits of its own.
    maxTaskChars: Number.POSITIVE_INFINITY,
    sessions,
    events: {
      ...calls.toStore<State["events"]>("events"),
      watch: (stream, listener) => calls.watch(() => listener(), stream),
    },
    values: calls.toStore<State["values"]>("values"),
    counters: calls.toStore<State["counters"]>("counters"),
    tasks: {
      ...calls.toStore<State["tasks"]>("tasks"),
      onChange: (listener) => calls.watch((task = "") => listener(task)),
    },
    // Without a state nothing else was asked for.
    durability: () => ({ level: "node-crash", warnings: [] }),
    close: () => calls.close(),
  };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

let lastId = 0;

/** Calls of methods in another process. */
class RemoteCalls {
  readonly #channel: IpcChannel<FromWorker, FromPrimary>;
  readonly #endpoint: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #watchers = new Map<number, (task?: string) => void>();
  readonly #dropSession: (session: string) => void;
  readonly #stopListening: () => void;

  constructor(
    channel: IpcChannel<FromWorker, FromPrimary>,
    endpoint: number,
    dropSession: (session: string) => void,
  ) {
    this.#channel = channel;
    this.#endpoint = endpoint;
    this.#dropSession = dropSession;
    this.#stopListening = channel.onMessage((message) => this.#receive(message));
  }

  /** A store whose methods are called in the other process. The list of methods is that of the store's type. */
  toStore<Store>(store: StoreName): Store {
    const methods = storeMethods[store].map((method) => {
      return [method, (...args: unknown[]) => this.#call(store, method, args)] as const;
    });
    return Object.fromEntries(methods) as Store;
  }

  watch(listener: (task?: string) => void, stream?: string): () => void {
    const id = ++lastId;
    const endpoint = this.#endpoint;
    this.#watchers.set(id, listener);
    void this.#channel.send({ kind: "watch", endpoint, id, ...(stream !== undefined && { stream }) });
    return () => {
      if (this.#watchers.delete(id)) void this.#channel.send({ kind: "unwatch", endpoint, id });
    };
  }

  close(): void {
    for (const id of this.#watchers.keys())
      void this.#channel.send({ kind: "unwatch", endpoint: this.#endpoint, id });
    this.#watchers.clear();
    this.#stopListening();
    for (const { reject } of this.#waiting.values()) reject(new Error("The state was closed."));
    this.#waiting.clear();
  }

  #call(store: StoreName, method: string, args: unknown[]): Promise<unknown> {
    // JSON would make null of an argument that was left out.
    while (args.length > 0 && args.at(-1) === undefined) args.pop();
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      void this.#channel.send({ kind: "state", endpoint: this.#endpoint, id, store, method, args });
    });
  }

  #receive(message: FromPrimary): void {
    if (message.kind === "close" || message.kind === "port") return;
    if (message.kind === "hint") return this.#watchers.get(message.id)?.(message.task);
    if (message.kind === "drop") return this.#onDrop(message);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === "value") waiting?.resolve(message.value);
    else waiting?.reject(toError(message));
  }

  #onDrop({ endpoint, session, drop }: DropRequest): void {
    if (endpoint !== this.#endpoint) return;
    this.#dropSession(session);
    void this.#channel.send({ kind: "dropped", endpoint, drop });
  }
}

function toError({ code, message }: { readonly code?: string; readonly message: string }): Error {
  if (code === "overloaded") return new OverloadedError(message);
  if (code === "stored-format") return new StoredFormatError(message);
  return code === "usage" ? new UsageError(message) : new Error(message);
}
