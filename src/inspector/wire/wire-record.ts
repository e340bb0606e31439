import type { MessageDirection } from "../../contract/channel.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ParsedMessage, RequestId } from "../../protocol/message.ts";
import { targetOf } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { parseMessage } from "../../protocol/parse.ts";
import type { WireEntry, WireKind, WireWarning } from "../messages/wire.ts";
import type { HttpExchange } from "./http-exchange.ts";

const shownChars = 2_000;

/** One message as it is kept: the whole text, and what the library understood of it. */
export interface WireRecord {
  readonly seq: number;
  readonly connection: string;
  readonly direction: MessageDirection;
  readonly at: number;
  readonly text: string;
  readonly bytes: number;
  readonly kind: WireKind;
  readonly rpcId?: RequestId;
  readonly errorCode?: number;
  /** True for the result of a tool that failed. */
  readonly isToolError?: boolean;
  readonly warnings: readonly WireWarning[];
  method?: string;
  name?: string;
  pair?: number;
  ms?: number;
  isCancelled?: boolean;
  exchange?: HttpExchange;
  /** The room that the exchange takes, where it counts for this record. */
  exchangeBytes?: number;
}

/** The part of a record that follows from its text. */
export type Understood = Pick<
  WireRecord,
  "kind" | "rpcId" | "errorCode" | "isToolError" | "method" | "name"
> & { readonly message: ParsedMessage };

export function understand(text: string): Understood {
  const message = parseMessage(text);
  switch (message.kind) {
    case "request":
    case "notification":
      return { message, ...describeCall(message.kind, message.method, message.params), ...idOf(message) };
    case "response":
      return {
        message,
        kind: "response",
        rpcId: message.id,
        ...(message.result.isError === true && { isToolError: true }),
      };
    case "failure":
      return { message, kind: "error", errorCode: message.error.code, ...idOf(message) };
    default:
      return { message, kind: message.kind };
  }
}

function describeCall(kind: "request" | "notification", method: string, params: JsonObject) {
  const name = targetOf(methods.get(method), params);
  return { kind, method, ...(name !== undefined && { name }) };
}

function idOf(message: object): { readonly rpcId?: RequestId } {
  return "id" in message && message.id !== undefined ? { rpcId: message.id as RequestId } : {};
}

/** The id of the request that a notification cancels. */
export function cancelledId(message: ParsedMessage): RequestId | undefined {
  if (message.kind !== "notification" || message.method !== "notifications/cancelled") return undefined;
  const { requestId } = message.params;
  return typeof requestId === "string" || typeof requestId === "number" ? requestId : undefined;
}

/** A record as the page sees it in a list. */
export function toEntry(record: WireRecord): WireEntry {
  const { text, exchange, exchangeBytes, isToolError, isCancelled, ...rest } = record;
  return {
    ...rest,
    text: text.slice(0, shownChars),
    isCut: text.length > shownChars,
    ...(exchange && {
      http: {
        exchange: exchange.exchange,
        method: exchange.method,
        ...(exchange.status !== undefined && { status: exchange.status }),
      },
    }),
  };
}
