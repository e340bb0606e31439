import { McpError } from "../../errors.ts";
import type { SessionStore, State } from "../../state/state.ts";
import type { IpcChannel } from "./ipc-channel.ts";
import { SessionHolder } from "./session-holder.ts";
import { SessionHolders } from "./session-holders.ts";
import type { LeasedSessions } from "./session-lease.ts";
import { type FromPrimary, type FromWorker, type StateRequest, storeMethods } from "./worker-message.ts";

/**
 * Lets a worker use states of this process.
 *
 * `stateOf` gives the state of an endpoint once it is known. Returns the function that ends it, for a worker that has ended.
 */
export function hostState(
  channel: IpcChannel<FromPrimary, FromWorker>,
  stateOf: (endpoint: number) => Promise<State>,
): () => void {
  const host = new StateHost(channel, stateOf);
  const stopListening = channel.onMessage((message) => host.receive(message));
  return () => {
    stopListening();
    host.end();
  };
}

/** A watch of a worker, which begins when the state is known. */
interface Watch {
  stop?: () => void;
}

type Method = (...args: unknown[]) => unknown;

/** The states of this process, as one worker uses them. */
class StateHost {
  readonly #channel: IpcChannel<FromPrimary, FromWorker>;
  readonly #stateOf: (endpoint: number) => Promise<State>;
  readonly #watches = new Map<number, Watch>();
  /** The worker at each endpoint. */
  readonly #holders = new Map<number, SessionHolder>();

  constructor(channel: IpcChannel<FromPrimary, FromWorker>, stateOf: (endpoint: number) => Promise<State>) {
    this.#channel = channel;
    this.#stateOf = stateOf;
  }

  receive(message: FromWorker): void {
    switch (message.kind) {
      case "state":
        return void this.#answer(message).then((sent) => this.#channel.send(sent));
      case "watch":
        // Without a state there are no hints; each call gets the error.
        return void this.#watch(message.endpoint, message.id, message.stream).catch(() => {});
      case "unwatch":
        this.#watches.get(message.id)?.stop?.();
        this.#watches.delete(message.id);
        return;
      case "dropped":
        this.#holders.get(message.endpoint)?.onDropped(message.drop);
    }
  }

  end(): void {
    for (const { stop } of this.#watches.values()) stop?.();
    this.#watches.clear();
    for (const holder of this.#holders.values()) holder.end();
  }

  async #watch(endpoint: number, id: number, stream: string | undefined): Promise<void> {
    const begun: Watch = {};
    this.#watches.set(id, begun);
    const { events, tasks } = await this.#stateOf(endpoint);
    // The worker may have stopped it meanwhile, or ended.
    if (this.#watches.get(id) !== begun) return;
    const hint = (task?: string) =>
      void this.#channel.send({ kind: "hint", id, ...(task !== undefined && { task }) });
    begun.stop = stream === undefined ? tasks.onChange(hint) : events.watch(stream, () => hint());
  }

  async #answer(request: StateRequest & { readonly endpoint: number }): Promise<FromPrimary> {
    const { endpoint, id, store, method, args } = request;
    try {
      const methods: readonly string[] = storeMethods[store];
      if (!methods.includes(method)) throw new Error(`A state has no method ${store}.${method}.`);
      const state = await this.#stateOf(endpoint);
      const target = store === "sessions" ? this.#leaseSessions(state.sessions, endpoint) : state[store];
      const call = target[method as keyof typeof target] as Method;
      return { kind: "value", id, value: await call.apply(target, [...args]) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { kind: "error", id, message, ...(error instanceof McpError && { code: error.code }) };
    }
  }

  /** The sessions as this worker uses them: it may hold copies, and is asked to drop them. */
  #leaseSessions(sessions: SessionStore, endpoint: number): LeasedSessions {
    const send = (drop: number, session: string) =>
      void this.#channel.send({ kind: "drop", endpoint, drop, session });
    const holder = this.#holders.get(endpoint) ?? new SessionHolder(send);
    this.#holders.set(endpoint, holder);
    return SessionHolders.of(sessions).sessionsFor(holder);
  }
}
