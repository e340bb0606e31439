import { type EventStore, type MemoryLimits, memoryState, type State } from "allspeak/http";

/**
 * The state of several nodes in one process. Every answer takes a turn of the event loop, as a store's does, so that
 * nodes can overtake each other.
 */
export function sharedMemory(limits?: MemoryLimits): State {
  const { sessions, events, values, counters, tasks, durability, close } = memoryState(limits);
  return {
    isShared: true,
    maxTaskChars: limits?.maxTaskChars,
    sessions: later(sessions, []),
    events: later(events, ["watch"]),
    values: later(values, []),
    counters: later(counters, []),
    tasks: later(tasks, ["onChange"]),
    durability,
    close,
  };
}

/** The same store, whose operations take a while. */
function later<Store extends object>(store: Store, atOnce: readonly PropertyKey[]): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (atOnce.includes(name)) return member.bind(target);
      return async (...args: unknown[]) => {
        await new Promise((resolve) => setImmediate(resolve));
        const outcome: unknown = await member.apply(target, args);
        await new Promise((resolve) => setImmediate(resolve));
        return outcome;
      };
    },
  });
}

/** The same state, some operations of whose streams are others. */
export function withEvents(state: State, toOthers: (events: EventStore) => Partial<EventStore>): State {
  const { events } = state;
  const same: EventStore = {
    append: (...given) => events.append(...given),
    after: (...given) => events.after(...given),
    holds: (...given) => events.holds(...given),
    last: (stream) => events.last(stream),
    remove: (stream) => events.remove(stream),
    watch: (...given) => events.watch(...given),
  };
  return { ...state, events: { ...same, ...toOthers(events) } };
}

/** The state as one node sees it. While the node is cut off, nothing that it does arrives, as if it were dead. */
export function cuttable(state: State): { readonly state: State; cut(): void; mend(): void } {
  let isCut = false;
  const guarded = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (isCut) throw new Error("This node is cut off.");
          return member.apply(target, args);
        };
      },
    });
  return {
    state: {
      ...state,
      sessions: guarded(state.sessions),
      events: guarded(state.events),
      values: guarded(state.values),
      counters: guarded(state.counters),
      tasks: guarded(state.tasks),
    },
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
    },
  };
}
