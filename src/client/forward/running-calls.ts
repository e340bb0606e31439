import type { Call } from "../../contract/call.ts";
import { UsageError } from "../../errors.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { Ask } from "../incoming/ask.ts";
import type { Asks } from "../incoming/asks.ts";
import type { Notifications } from "../incoming/notifications.ts";
import { type Asker, assertAskable, toAskHandlers } from "./asker.ts";
import { passLog } from "./pass-log.ts";
import { ServedSessions, toUserKey } from "./served-sessions.ts";

interface RunOptions {
  /** True if the connection serves no other client meanwhile. */
  readonly servesOneClient: boolean;
}

/** Makes the calls of one client, whose callers get the questions and the logs of the server about them. */
export function createRunningCalls(asks: Asks, notifications: Notifications): RunningCalls {
  const calls = new RunningCalls();
  asks.routeBy((ask) => {
    const asker = calls.askerFor(ask);
    return asker && toAskHandlers(asker);
  });
  notifications.listenToLog((message, relatedTo) => {
    const receivers = calls.callsFor(relatedTo);
    for (const call of receivers) passLog(call, message);
    if (relatedTo === undefined) calls.sessions.log(message, receivers);
  });
  notifications.listen((method, { elicitationId }) => {
    if (method === "notifications/elicitation/complete")
      calls.sessions.completeElicitation(String(elicitationId));
  });
  return calls;
}

/** The calls of others that run over one connection, to find those that a question or a log message belongs to. */
export class RunningCalls {
  readonly sessions: ServedSessions = new ServedSessions();
  readonly #askers = new Map<Asker, RunOptions>();
  /** By the ids of their requests on this connection. */
  readonly #byRequest = new Map<RequestId, Asker>();

  get calls(): readonly Call[] {
    return [...this.#askers.keys()].map(({ call }) => call);
  }

  /** Runs a call, which reports the ids of its requests. */
  async run<T>(
    asker: Asker,
    options: RunOptions,
    send: (onId: (id: RequestId) => void) => Promise<T>,
  ): Promise<T> {
    const ids: RequestId[] = [];
    this.#askers.set(asker, options);
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
   * The caller whose call raised a question; undefined if none did. Throws if it is unclear which one did, or if the
   * caller can't answer.
   */
  askerFor({ method, params, relatedTo }: Ask): Asker | undefined {
    if (this.#askers.size === 0) return undefined;
    const asker = relatedTo === undefined ? this.#onlyClient(method) : this.#byRequest.get(relatedTo);
    if (asker) assertAskable(asker.call, method, params);
    return asker;
  }

  /**
   * The calls that a log message goes to: the one it came with, where that is known. Otherwise all that run, if one
   * user has begun them all; else none.
   */
  callsFor(relatedTo: RequestId | undefined): readonly Call[] {
    if (relatedTo !== undefined) {
      const asker = this.#byRequest.get(relatedTo);
      return asker ? [asker.call] : [];
    }
    const { calls } = this;
    const users = new Set(calls.map(toUserKey));
    return users.size === 1 ? firstOfEachSession(calls) : [];
  }

  /** Any caller, if all are one client: it is the same, whichever call it is asked by. */
  #onlyClient(method: string): Asker | undefined {
    const [first, ...others] = this.#askers.keys();
    const isOneClient =
      [...this.#askers.values()].every(({ servesOneClient }) => servesOneClient) &&
      others.every(({ call }) => isSameSession(call, first?.call));
    if (isOneClient) return others.at(-1) ?? first;
    throw new UsageError(
      `Nobody can answer ${method}: it does not name the running call that it belongs to; ${advice}.`,
    );
  }
}

const advice =
  "mount a bridge (openBridge) in place of the client, so that callers have their own connections";

function isSameSession(one: Call, other: Call | undefined): boolean {
  return one.session !== undefined && one.session.id === other?.session?.id;
}

/** One client gets a message once, however many calls it has begun. */
function firstOfEachSession(calls: readonly Call[]): readonly Call[] {
  const seen = new Set<string>();
  return calls.filter(({ session }) => {
    if (session === undefined) return true;
    const isFirst = !seen.has(session.id);
    seen.add(session.id);
    return isFirst;
  });
}
