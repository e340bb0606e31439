import type { JsonObject } from "../../lib/json.ts";
import type { TargetChoice } from "./connection.ts";
import type { Failure } from "./reply.ts";

/** One thing to do on a connection, for what is done more than once. */
export type Operation =
  | { readonly kind: "call-tool"; readonly name: string; readonly arguments: JsonObject }
  | { readonly kind: "read-resource"; readonly uri: string }
  | {
      readonly kind: "get-prompt";
      readonly name: string;
      readonly arguments?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "list-tools" | "list-resources" | "list-prompts" }
  | { readonly kind: "ping" };

export interface RevisionRequests {
  /** Does one thing as a client of each revision, one connection each, which are closed afterwards. */
  "ask-in-revisions": {
    readonly params: {
      /** The target, or that of a connection. */
      readonly target: TargetChoice | { readonly kind: "connection"; readonly connection: string };
      readonly operation: Operation;
      /** Default: all. */
      readonly revisions?: readonly string[];
    };
    readonly result: { readonly answers: readonly RevisionAnswer[] };
  };
}

export interface RevisionEvents {
  /** An answer as soon as it is there; `request` is the id of the request. Reaches only the socket that sent it. */
  "revision-answer": { readonly request: number; readonly answer: RevisionAnswer };
}

export interface RevisionAnswer {
  readonly revision: string;
  /** The connection that it was asked on, for the wire. */
  readonly connection: string;
  readonly ms: number;
  /** The result as it was on the wire. */
  readonly result?: JsonObject;
  /** The reason why there is none: the server does not speak the revision, or refused. */
  readonly failure?: Failure;
  readonly isSpoken: boolean;
  /** Differences from the first revision that answered. */
  readonly differences: readonly JsonDifference[];
  readonly wire?: readonly [first: number, last: number];
}

/** One place where two JSON values differ. */
export interface JsonDifference {
  /** A JSON pointer. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly left?: unknown;
  readonly right?: unknown;
}
