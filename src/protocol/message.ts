import { type ErrorObject, UsageError } from "../errors.ts";
import { isObject, type JsonObject, toJsonText } from "../lib/json.ts";
import type { DeepResult } from "./model/deep-result.ts";
import { WireCode } from "./wire-error.ts";

export type RequestId = string | number;

export interface RpcRequest {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface RpcNotification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: JsonObject;
}

export interface RpcResponse {
  readonly kind: "response";
  readonly id: RequestId;
  readonly result: JsonObject;
}

/** A refused request; without an id when the peer could not read the one we sent. */
export interface RpcFailure {
  readonly kind: "failure";
  readonly id: RequestId | undefined;
  readonly error: ErrorObject;
}

/** Text or JSON that is not a message, with the error to answer, and the id if it could be read. */
export interface InvalidMessage {
  readonly kind: "invalid";
  readonly id: RequestId | undefined;
  readonly error: ErrorObject;
  /** Set when it names no method, and may be the response to `id`. */
  readonly mayBeResponse?: true;
  /** Set when it was meant as a notification or a response, which get no answer. */
  readonly isOneWay?: true;
  /** Set when it was not read because it was larger than this. */
  readonly maxBytes?: number;
  /** Set when it was refused before it was parsed: for its depth, or for the number of its parts. */
  readonly unparsed?: "too-deep" | "too-many";
  /** The result of a response that was refused for its depth, as far as it could be read. */
  readonly deep?: DeepResult;
}

/** A response that can't be used, to a request that it names. */
export interface MalformedResponse extends InvalidMessage {
  readonly id: RequestId;
  readonly mayBeResponse: true;
  readonly isOneWay: true;
}

/** The messages that settle a request. */
export type AnyResponse = RpcResponse | RpcFailure | MalformedResponse;

export interface Batch {
  readonly kind: "batch";
  readonly messages: readonly (Message | InvalidMessage)[];
}

export type Message = RpcRequest | RpcNotification | RpcResponse | RpcFailure;
export type ParsedMessage = Message | InvalidMessage | Batch;

const maxBatchMessages = 100;
const maxIdLength = 256;

/**
 * True for a string, and for an integer that survives a round trip through a double; `"1"` and `1` differ.
 *
 * basic#requests (2025-11-25)
 */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return typeof value === "string" && value.length <= maxIdLength;
}

/** Classifies a parsed JSON value, once. */
export function classify(value: unknown): ParsedMessage {
  if (Array.isArray(value)) return classifyBatch(value);
  return classifyOne(value);
}

function classifyBatch(values: readonly unknown[]): Batch | InvalidMessage {
  if (values.length === 0) return invalidMessage(undefined, "A batch must hold at least one message.");
  if (values.length > maxBatchMessages) {
    return invalidMessage(
      undefined,
      `A batch may hold at most ${maxBatchMessages} messages, got ${values.length}.`,
    );
  }
  return { kind: "batch", messages: values.map(classifyOne) };
}

function classifyOne(value: unknown): Message | InvalidMessage {
  if (!isObject(value)) return invalidMessage(undefined, "A message must be a JSON object.");
  const id = isRequestId(value.id) ? value.id : undefined;
  if (value.jsonrpc !== "2.0") return invalidObject(value, id, 'A message must have "jsonrpc": "2.0".');
  if (value.method !== undefined) return classifyCall(value, id);
  if (isObject(value.error)) return { kind: "failure", id, error: toErrorObject(value.error) };
  return classifyResult(value, id);
}

/** The oldest clients cancel without the prefix of notifications. */
const cancelled = "notifications/cancelled";

function classifyCall(value: JsonObject, id: RequestId | undefined): Message | InvalidMessage {
  const { method } = value;
  if (typeof method !== "string") return invalidMessage(id, '"method" must be a string.');
  if ("result" in value || "error" in value)
    return invalidObject(value, id, "A message is either a call or a response, not both.");
  // Absent and null params are both read as none: peers send either.
  const params = value.params ?? {};
  if (id === undefined && value.id !== undefined)
    return invalidMessage(undefined, '"id" must be a string of at most 256 characters or an integer.');
  if (!isObject(params))
    return invalidObject(value, id, '"params" must be an object.', WireCode.invalidParams);
  return id === undefined
    ? { kind: "notification", method: method === "cancelled" ? cancelled : method, params }
    : { kind: "request", id, method, params };
}

function classifyResult(value: JsonObject, id: RequestId | undefined): RpcResponse | InvalidMessage {
  if (!("result" in value))
    return invalidObject(value, id, "A message needs a method, a result or an error.");
  if (id === undefined)
    return invalidObject(value, undefined, "A response must repeat the id of its request.");
  const result = value.result ?? {};
  if (!isObject(result)) return invalidObject(value, id, '"result" must be an object.');
  return { kind: "response", id, result };
}

/** Tolerates an error without a message or a usable code, which real peers send. */
function toErrorObject(error: JsonObject): ErrorObject {
  const code =
    typeof error.code === "number" && Number.isInteger(error.code) ? error.code : WireCode.internal;
  const message = typeof error.message === "string" ? error.message : `Error ${code}`;
  return error.data === undefined ? { code, message } : { code, message, data: error.data };
}

export function invalidMessage(
  id: RequestId | undefined,
  message: string,
  code: number = WireCode.invalidRequest,
): InvalidMessage {
  return { kind: "invalid", id, error: { code, message } };
}

/** A message that can't be used. Its members show what it was meant as. */
export function invalidObject(
  value: JsonObject,
  id: RequestId | undefined,
  problem: string,
  code?: number,
): InvalidMessage {
  const mayBeResponse = !("method" in value);
  const isOneWay = mayBeResponse
    ? "result" in value || "error" in value
    : typeof value.method === "string" && value.id === undefined;
  return {
    ...invalidMessage(id, problem, code),
    ...(mayBeResponse && { mayBeResponse }),
    ...(isOneWay && { isOneWay }),
  };
}

export function isMalformedResponse(message: InvalidMessage): message is MalformedResponse {
  return message.mayBeResponse === true && message.isOneWay === true && message.id !== undefined;
}

export function encodeNotification(method: string, params: JsonObject | undefined): string {
  return encodePart(method, { jsonrpc: "2.0", method, params });
}

/** A message, or its params. Throws UsageError for params that JSON can't hold: a BigInt, or an object that contains itself. */
export function encodePart(method: string, part: object): string {
  try {
    return JSON.stringify(part);
  } catch (cause) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split("\n");
    throw new UsageError(`The params of ${method} can't be written as JSON: ${reason}; pass plain data.`, {
      cause,
    });
  }
}

export function encodeResponse(id: RequestId, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${toJsonText(result)}}`;
}

/** `id` is null, or undefined and left out, where the request's own id could not be read, as the revision has it. */
export function encodeFailure(id: RequestId | null | undefined, error: ErrorObject): string {
  const member = id === undefined ? "" : `"id":${encodeId(id)},`;
  return `{"jsonrpc":"2.0",${member}"error":${encodeError(error)}}`;
}

/** Data that is not JSON is left out: an answer without it is better than none. */
function encodeError(error: ErrorObject): string {
  try {
    return JSON.stringify(error);
  } catch {
    const { code, message } = error;
    return JSON.stringify({ code, message });
  }
}

function encodeId(id: RequestId | null): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}
