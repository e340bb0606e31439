import { CircuitBreaker } from "./circuit-breaker.ts";
import { assertState, type State } from "./state.ts";

const known = new WeakMap<State, State>();

/** Listeners are registered in this process: they work while the store is away. */
const localOperations: ReadonlySet<PropertyKey> = new Set(["watch", "onChange"]);

/**
 * The state with one error for all failures of its stores, so that callers are asked to come back and not that the
 * server is broken; while its store is away, it fails at once. Gives the same object for the same state. A state of
 * this process alone has no such failures.
 */
export function withAvailability(state: State): State {
  assertState(state);
  if (!state.isShared) return state;
  const wrapped = known.get(state) ?? wrap(state);
  known.set(state, wrapped);
  // A state that is wrapped already stays as it is.
  known.set(wrapped, wrapped);
  return wrapped;
}

function wrap(state: State): State {
  const breaker = new CircuitBreaker();
  return {
    isShared: state.isShared,
    maxTaskChars: state.maxTaskChars,
    sessions: guard(state.sessions, breaker),
    events: guard(state.events, breaker),
    values: guard(state.values, breaker),
    counters: guard(state.counters, breaker),
    tasks: guard(state.tasks, breaker),
    durability: () => state.durability(),
    close: () => state.close(),
  };
}

type Operation = (...args: unknown[]) => unknown;

function guard<Store extends object>(store: Store, breaker: CircuitBreaker): Store {
  const operations = new Map<PropertyKey, Operation>();
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const operation = operations.get(name) ?? toOperation(target, name, member as Operation);
      operations.set(name, operation);
      return operation;
    },
  });

  function toOperation(target: object, name: PropertyKey, operation: Operation): Operation {
    if (localOperations.has(name)) return (...args) => operation.apply(target, args);
    return (...args) => breaker.run(() => operation.apply(target, args));
  }
}
