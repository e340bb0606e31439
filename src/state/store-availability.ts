import { McpError, OverloadedError } from "../errors.ts";
import { waitAtMost } from "../lib/async/wait-at-most.ts";
import type { State } from "./state.ts";

/** The error of a store that does not answer; a later retry may succeed. */
class StoreUnavailableError extends OverloadedError {}

/** The time that a store may take for one operation. */
const operationMs = 5_000;

const known = new WeakMap<State, State>();

/**
 * The state with one error for all failures of its stores, also for one that does not answer in time, so that callers are told to come back and not that the
 * server is broken. Gives the same object for the same state. A state of this process alone has no such failures.
 */
export function withAvailability(state: State): State {
  if (!state.isShared) return state;
  const wrapped = known.get(state) ?? {
    isShared: state.isShared,
    sessions: withOneError(state.sessions),
    events: withOneError(state.events),
    values: withOneError(state.values),
    counters: withOneError(state.counters),
    tasks: withOneError(state.tasks),
  };
  known.set(state, wrapped);
  return wrapped;
}

type Operation = (...args: unknown[]) => unknown;

function withOneError<Store extends object>(store: Store): Store {
  const operations = new Map<PropertyKey, Operation>();
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const operation = operations.get(name) ?? toOperation(target, member as Operation);
      operations.set(name, operation);
      return operation;
    },
  });
}

function toOperation(store: object, operation: Operation): Operation {
  return (...args) => {
    try {
      const outcome = operation.apply(store, args);
      return outcome instanceof Promise ? waitAtMost(operationMs, outcome, onLate).catch(rethrow) : outcome;
    } catch (error) {
      return rethrow(error);
    }
  };
}

function onLate(): never {
  throw new Error(`No answer within ${operationMs} ms.`);
}

function rethrow(cause: unknown): never {
  if (cause instanceof McpError) throw cause;
  throw new StoreUnavailableError("The store of the server does not answer.", { cause });
}
