export type ServerReply = ResultReply | FailureReply;

export interface ResultReply {
  readonly type: "result";
  readonly id: number;
  readonly result: unknown;
}

export interface FailureReply {
  readonly type: "failure";
  readonly id: number;
  readonly failure: Failure;
}

/** A request that failed: what happened, and what to do. */
export interface Failure {
  /**
   * The `code` of the library's errors (`docs/errors.md`), or one of the inspector's own: `session-unknown`,
   * `invalid-request`, `not-found`, `declined`, `too-much`, `internal`.
   */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** The error of the peer, where it answered with one. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** Entries of the wire that belong to it, first and last. */
  readonly wire?: readonly [first: number, last: number];
}

/** No members. */
export type Nothing = Readonly<Record<never, never>>;
