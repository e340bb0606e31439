import type { Nothing } from "./reply.ts";

export interface WireRequests {
  /** A window of the history that matches a filter, oldest first: `from` counts matching entries from 0. */
  "read-wire": {
    readonly params: { readonly filter?: WireFilter; readonly from: number; readonly count: number };
    readonly result: {
      readonly entries: readonly WireEntry[];
      /** The number of entries that match. */
      readonly matching: number;
      readonly totals: WireTotals;
    };
  };
  /** One entry with its whole text and the HTTP around it. */
  "read-wire-entry": {
    readonly params: { readonly seq: number };
    readonly result: { readonly entry: WireEntry; readonly text: string; readonly http?: HttpExchangeView };
  };
  /** Requests with their answers, in the order in which they began, for a waterfall: a window as of `read-wire`. */
  "read-calls": {
    readonly params: { readonly filter?: WireFilter; readonly from: number; readonly count: number };
    readonly result: { readonly calls: readonly CallSpan[]; readonly matching: number };
  };
  /** The place of an entry among those that match, to scroll there; the nearest one if it does not match itself. */
  "find-wire": {
    readonly params: { readonly filter?: WireFilter; readonly seq: number };
    readonly result: { readonly index: number; readonly isMatch: boolean };
  };
  "clear-wire": { readonly params: Nothing; readonly result: Nothing };
}

export interface WireEvents {
  /** New entries. At most ten events a second; if more than 200 entries came meanwhile, only the last 200 are in it. */
  wire: { readonly entries: readonly WireEntry[]; readonly totals: WireTotals };
}

export interface WireTotals {
  /** The entries that are kept. */
  readonly count: number;
  /** The sequence numbers of the oldest and the newest entry that are kept; 0 and 0 if there is none. */
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** Entries that were dropped because the history was full. */
  readonly dropped: number;
}

export interface WireFilter {
  readonly connections?: readonly string[];
  readonly direction?: "sent" | "received";
  readonly kinds?: readonly WireKind[];
  readonly methods?: readonly string[];
  /** Words that the text, or the method and what it names, must contain, in any case. */
  readonly search?: string;
  readonly hasWarnings?: boolean;
  /** Only entries with sequence numbers from the first to the last. */
  readonly between?: readonly [first: number, last: number];
}

/** `http` is an exchange that carried no message: a stream that was opened, a refusal, OAuth. */
export type WireKind =
  | "request"
  | "response"
  | "error"
  | "notification"
  | "batch"
  | "invalid"
  | "http"
  | "note";

/** One message on the wire. */
export interface WireEntry {
  /** Counts all entries of the session, from 1. */
  readonly seq: number;
  readonly connection: string;
  readonly direction: "sent" | "received";
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
  /** The size of the text in UTF-8. */
  readonly bytes: number;
  /** The text as it is on the wire, cut after 2,000 characters. */
  readonly text: string;
  readonly isCut: boolean;
  readonly kind: WireKind;
  /** The method; of an answer, that of its request. */
  readonly method?: string;
  /** The tool, resource or prompt that a request names; of an answer, that of its request. */
  readonly name?: string;
  readonly rpcId?: string | number;
  /** The request of an answer, or the answer of a request. */
  readonly pair?: number;
  /** The time between a request and its answer, on the answer. */
  readonly ms?: number;
  /** The code of an error. */
  readonly errorCode?: number;
  /** The HTTP around it, in short; `read-wire-entry` has the rest. */
  readonly http?: { readonly exchange: number; readonly method: string; readonly status?: number };
  readonly warnings: readonly WireWarning[];
}

/** A place where a peer breaks the specification. */
export interface WireWarning {
  readonly message: string;
  /** The page of the specification that says so, of the connection's revision. */
  readonly page: string;
}

/** One HTTP exchange; values of headers that are secrets are masked. */
export interface HttpExchangeView {
  readonly exchange: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly Header[];
  readonly status?: number;
  readonly statusText?: string;
  readonly responseHeaders: readonly Header[];
  readonly startedAt: number;
  /** The time until the headers of the response came. */
  readonly headersMs?: number;
  readonly failure?: string;
}

export interface Header {
  readonly name: string;
  readonly value: string;
  readonly isMasked?: boolean;
}

/** A request and its answer. */
export interface CallSpan {
  readonly request: number;
  readonly answer?: number;
  readonly connection: string;
  /** The side that sent the request. */
  readonly from: "client" | "server";
  readonly method: string;
  readonly name?: string;
  readonly startedAt: number;
  readonly ms?: number;
  readonly outcome: "open" | "result" | "tool-error" | "error" | "cancelled";
  readonly requestBytes: number;
  readonly answerBytes?: number;
}
