import { untilAborted } from "../contract/cancellation.ts";
import type { HeaderRecord } from "../contract/channel.ts";
import { RpcError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { encodeHeaderValue } from "../protocol/header-value.ts";
import { targetOf, toolOf } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import { type ParamHeader, readHeaderParam } from "../protocol/param-headers.ts";
import type { Revision } from "../protocol/revision.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { Notifications } from "./incoming/notifications.ts";
import { ListedTools } from "./listed-tools.ts";
import type { ClientCall } from "./middleware.ts";
import type { Report } from "./report.ts";

type Next = (call: ClientCall) => Promise<JsonObject>;

const maxPages = 1_000;
const relistMs = 1_000;

/**
 * The innermost step of a request over HTTP: adds its headers, and sends it.
 *
 * The list of tools says which arguments of a call go into headers, and which tools may be repeated
 * (`retry`). So this step
 * - remembers each page of `tools/list`, and leaves out tools whose header marks are invalid;
 * - reads the whole list before the first call of an unknown tool: without its headers the call
 *   would be refused;
 * - reads the list again after the server has announced a change, at most once a second;
 * - sends a call a second time, with a new list, when the server answers that its headers do not match.
 *
 * basic/transports/streamable-http#custom-headers-from-tool-parameters (2026-07-28)
 */
export class RequestHeaders {
  readonly #tools: ListedTools;
  /** False in revisions without such headers: then the list only shows which tools may be repeated. */
  readonly #hasHeaders: boolean;
  #listing: Promise<void> | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;
  #isStale = false;

  constructor(revision: Revision, notifications: Notifications, report: Report) {
    this.#tools = new ListedTools(report);
    this.#hasHeaders = revision.requestHeaders;
    notifications.listenFirst(({ kind }) => {
      if (kind === "tools") this.#isStale = true;
    });
  }

  send(call: ClientCall, next: Next): Promise<JsonObject> {
    const row = methods.get(call.method);
    if (row?.list?.items === "tools") return this.#list(call, next);
    return row?.runsTool ? this.#call(call, next) : next(this.#prepare(call));
  }

  async #list(call: ClientCall, next: Next): Promise<JsonObject> {
    const result = await next(call);
    if (this.#hasHeaders) return this.#tools.filter(result);
    this.#tools.take(result);
    return result;
  }

  async #call(call: ClientCall, next: Next): Promise<JsonObject> {
    if (!this.#hasHeaders) return next(this.#prepare(call));
    await this.#learn(call, next);
    try {
      return await next(this.#prepare(call));
    } catch (error) {
      if (!(error instanceof RpcError) || error.wireCode !== WireCode.headerMismatch) throw error;
      // The tool may have changed since it was listed.
      this.#forget();
      await this.#learn(call, next);
      return next(this.#prepare(call));
    }
  }

  #prepare(call: ClientCall): ClientCall {
    const tool = this.#tools.find(toolOf(methods.get(call.method), call.params));
    const retry = call.retry ?? tool?.isRepeatable;
    if (!this.#hasHeaders) return retry === call.retry ? call : { ...call, retry };
    return { ...call, retry, headers: toRequestHeaders(call, tool?.paramHeaders) };
  }

  #forget(): void {
    this.#tools.clear();
    this.#listing = undefined;
    this.#isStale = false;
    this.#listedAt = performance.now();
  }

  async #learn({ method, params, signal }: ClientCall, next: Next): Promise<void> {
    // A server that announces changes all the time is asked no more than once a second.
    if (this.#isStale && performance.now() - this.#listedAt >= relistMs) this.#forget();
    if (this.#tools.find(params.name)) return;
    this.#listing ??= this.#readList(params, next);
    await untilAborted(this.#listing, method, signal);
  }

  /** Reads the whole list. Never rejects: without a list, the call is sent as it is. */
  async #readList({ _meta }: JsonObject, next: Next): Promise<void> {
    try {
      let cursor: unknown;
      for (let page = 0; page < maxPages; page++) {
        const params = { ...(_meta !== undefined && { _meta }), ...(cursor !== undefined && { cursor }) };
        const result = await next({ method: "tools/list", params });
        this.#tools.filter(result);
        cursor = result.nextCursor;
        if (typeof cursor !== "string") return;
      }
    } catch {
      // If headers are missing, the error of the call names them.
    }
  }
}

/** The headers of a call, with those that repeat its target and the arguments that its tool marks. */
export function toRequestHeaders(
  { method, params, headers: brought }: ClientCall,
  paramHeaders: readonly ParamHeader[] = [],
): HeaderRecord {
  const headers: { [name: string]: string } = { ...brought };
  const target = targetOf(methods.get(method), params);
  if (target !== undefined) headers["mcp-name"] = encodeHeaderValue(target);
  for (const param of paramHeaders) {
    const value = toHeaderValue(readHeaderParam(params.arguments, param));
    if (value !== undefined) headers[`mcp-param-${param.name}`] = value;
  }
  return headers;
}

/** Undefined for a value that no header carries: null, an object, a list. */
function toHeaderValue(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return encodeHeaderValue(value);
    case "number":
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}
