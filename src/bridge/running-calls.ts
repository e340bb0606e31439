import type { Call } from "../contract/call.ts";
import { toOwner } from "../contract/caller/principal.ts";
import type { RequestId } from "../protocol/message.ts";
import type { Asker } from "./asker.ts";

/** The calls that run over one connection, to find those that a question or a log message belongs to. */
export class RunningCalls {
  readonly #askers = new Set<Asker>();
  /** By the ids of their requests on this connection. */
  readonly #byRequest = new Map<RequestId, Asker>();

  /** Runs a call, which reports the ids of its requests. */
  async run<T>(asker: Asker, send: (onId: (id: RequestId) => void) => Promise<T>): Promise<T> {
    const ids: RequestId[] = [];
    this.#askers.add(asker);
    try {
      return await send((id) => {
        ids.push(id);
        this.#byRequest.set(id, asker);
      });
    } finally {
      this.#askers.delete(asker);
      for (const id of ids) this.#byRequest.delete(id);
    }
  }

  /**
   * The caller of a question: that of the request it came with, where the wire tells. Otherwise any that runs, if all
   * belong to one session: it is the same client, whichever call it is asked by.
   */
  askerFor(relatedTo: RequestId | undefined): Asker | undefined {
    if (relatedTo !== undefined) return this.#byRequest.get(relatedTo);
    const [first, ...others] = this.#askers;
    const isOneClient = others.every(({ call }) => isSameSession(call, first?.call));
    return isOneClient ? (others.at(-1) ?? first) : undefined;
  }

  /**
   * The calls that a log message goes to: the one it came with, where the wire tells. Otherwise all that run, if one
   * principal has begun them all; else none.
   */
  callsFor(relatedTo: RequestId | undefined): readonly Call[] {
    if (relatedTo !== undefined) {
      const asker = this.#byRequest.get(relatedTo);
      return asker ? [asker.call] : [];
    }
    const calls = [...this.#askers].map(({ call }) => call);
    const owners = new Set(calls.map(({ principal }) => toOwner(principal)));
    return owners.size === 1 ? firstOfEachSession(calls) : [];
  }
}

function isSameSession(one: Call, other: Call | undefined): boolean {
  return one.session !== undefined && one.session.id === other?.session?.id;
}

/** One client hears a message once, however many calls it has begun. */
function firstOfEachSession(calls: readonly Call[]): readonly Call[] {
  const seen = new Set<string>();
  return calls.filter(({ session }) => {
    if (session === undefined) return true;
    const isFirst = !seen.has(session.id);
    seen.add(session.id);
    return isFirst;
  });
}
