/** The stores of a state, and their methods that return something. */
export const storeMethods = {
  sessions: ["create", "touch", "replace", "remove"],
  events: ["append", "after", "holds", "last", "remove"],
  values: ["add", "put", "get", "remove"],
  counters: ["count"],
  tasks: ["create", "get", "list", "claim", "save", "answer", "cancel"],
} as const;

export type StoreName = keyof typeof storeMethods;

/** A call of a method of the state that the primary holds. */
export interface StateRequest {
  readonly kind: "state";
  readonly id: number;
  readonly store: StoreName;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Wants the copy of a session dropped, before it changes. */
export interface DropRequest {
  readonly kind: "drop";
  readonly endpoint: number;
  readonly drop: number;
  readonly session: string;
}

/** `endpoint` is the number of the call of `serveHttp` in the program. */
export type FromWorker = { readonly endpoint: number } & (
  | StateRequest
  /** Wants hints of a stream; without one, of tasks. */
  | { readonly kind: "watch"; readonly id: number; readonly stream?: string }
  | { readonly kind: "unwatch"; readonly id: number }
  /** Has dropped its copy of a session. */
  | { readonly kind: "dropped"; readonly drop: number }
  /** Has come to the call, and wants to know the port. */
  | { readonly kind: "ready" }
  | { readonly kind: "listening"; readonly url: string }
  | { readonly kind: "failed"; readonly message: string }
);

export type FromPrimary =
  | { readonly kind: "value"; readonly id: number; readonly value?: unknown }
  | { readonly kind: "error"; readonly id: number; readonly code?: string; readonly message: string }
  /** A hint to a watcher, with the id of a task if it is about one. */
  | { readonly kind: "hint"; readonly id: number; readonly task?: string }
  | DropRequest
  | { readonly kind: "port"; readonly endpoint: number; readonly port: number }
  | { readonly kind: "close"; readonly drainMs?: number };
