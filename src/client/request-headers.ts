import type { HeaderRecord } from "../contract/channel.ts";
import type { Timeout } from "../contract/deadline.ts";
import { CallLostError, RpcError } from "../errors.ts";
import { SingleFlight } from "../lib/async/single-flight.ts";
import type { JsonObject } from "../lib/json.ts";
import { encodeHeaderValue } from "../protocol/headers/header-value.ts";
import { type ParamHeader, readHeaderParam } from "../protocol/headers/param-headers.ts";
import { targetOf, toolOf } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import type { Revision } from "../protocol/revision.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { Notifications } from "./incoming/notifications.ts";
import { readPages } from "./lists/list-pages.ts";
import { ListedTools } from "./lists/listed-tools.ts";
import type { ClientCall } from "./middleware.ts";
import type { Report } from "./report.ts";
import { TimeBudget } from "./time-budget.ts";

type Next = (call: ClientCall) => Promise<JsonObject>;

/** The time for the list that says whether a lost call may be repeated. */
const judgeMs = 1_000;
const relistMs = 1_000;

/** The parts of a client that this step needs. */
export interface RequestHeaderParts {
  readonly revision: Revision;
  readonly notifications: Notifications;
  readonly report: Report;
  /** The timeout of all calls that do not set their own. */
  readonly timeout: Timeout | undefined;
}

/**
 * The innermost step of a request over HTTP: adds its headers, and sends it.
 *
 * The list of tools defines which arguments of a call go into headers, and which tools may be repeated
 * (`retry`). So this step
 * - remembers each page of `tools/list`, and leaves out tools whose header marks are invalid;
 * - reads the whole list before the first call of an unknown tool: without its headers the call
 *   would be refused. In revisions without such headers, it reads the list when the call was lost;
 * - reads the list again after the server has announced a change, at most once a second; known
 *   tools stay known until then;
 * - sends a call a second time, with a new list, when the server answers that its headers do not match.
 *
 * The list is read in the time of the calls that need it, and no longer than one of them waits.
 *
 * basic/transports/streamable-http#custom-headers-from-tool-parameters (2026-07-28)
 */
export class RequestHeaderMiddleware {
  readonly #parts: RequestHeaderParts;
  readonly #tools: ListedTools;
  /** False in revisions without such headers: then the list only shows which tools may be repeated. */
  readonly #hasHeaders: boolean;
  readonly #listing = new SingleFlight<void>();
  /** True once an attempt to read the list has ended. */
  #wasListed = false;
  #relistedAt = Number.NEGATIVE_INFINITY;
  #isStale = false;
  /** Ends the list that was begun last. */
  #endList: (() => void) | undefined;

  constructor(parts: RequestHeaderParts) {
    this.#parts = parts;
    this.#tools = new ListedTools(parts.report);
    this.#hasHeaders = parts.revision.requestHeaders;
    parts.notifications.listenFirst(({ kind }) => {
      if (kind === "tools") this.#isStale = true;
    });
  }

  send(call: ClientCall, next: Next): Promise<JsonObject> {
    const row = methods.get(call.method);
    if (row?.list?.items === "tools") return this.#list(call, next);
    return row?.runsTool ? this.#call(call, next) : next(this.#prepare(call));
  }

  async #list(call: ClientCall, next: Next): Promise<JsonObject> {
    if (call.params.cursor === undefined) this.#endList = this.#tools.beginList();
    const result = await next(call);
    const kept = this.#hasHeaders ? this.#tools.filter(result) : this.#tools.take(result);
    if ((result.nextCursor ?? undefined) === undefined) this.#endList?.();
    return kept;
  }

  async #call(call: ClientCall, next: Next): Promise<JsonObject> {
    if (!this.#hasHeaders) return this.#callWithoutHeaders(call, next);
    const sent = this.#needsList(call) ? await this.#withList(call, next, 0) : call;
    const sentAt = performance.now();
    try {
      return await next(this.#prepare(sent));
    } catch (error) {
      if (!(error instanceof RpcError) || error.wireCode !== WireCode.headerMismatch) throw error;
      // The tool may have changed since it was listed.
      return next(this.#prepare(await this.#withList(sent, next, performance.now() - sentAt)));
    }
  }

  /** Sends a call. If it is lost and its tool is not known, the list says whether it may be repeated. */
  async #callWithoutHeaders(call: ClientCall, next: Next): Promise<JsonObject> {
    const prepared = this.#prepare(call);
    const sentAt = performance.now();
    try {
      return await next(prepared);
    } catch (error) {
      const isLost = error instanceof CallLostError && error.lost === "connection" && !error.mayRetry;
      if (!isLost || prepared.retry !== undefined) throw error;
      // Without a list, the loss is all there is to report, and it must not be reported late.
      await this.#withList({ ...call, timeout: { total: judgeMs } }, next, 0).catch(() => {});
      const again = this.#prepare(call);
      if (!again.retry) throw error;
      const timeout = { ...this.#parts.timeout, ...call.timeout };
      const { rest } = new TimeBudget(call.method, timeout, performance.now() - sentAt);
      return next({ ...again, timeout: rest });
    }
  }

  #prepare(call: ClientCall): ClientCall {
    const tool = this.#tools.find(toolOf(methods.get(call.method), call.params));
    const retry = call.retry ?? tool?.isRepeatable;
    if (!this.#hasHeaders) return retry === call.retry ? call : { ...call, retry };
    return { ...call, retry, headers: toRequestHeaders(call, tool?.paramHeaders) };
  }

  #needsList({ params }: ClientCall): boolean {
    // A server that announces changes all the time is asked no more than once a second.
    if (this.#isStale && performance.now() - this.#relistedAt >= relistMs) return true;
    return !this.#wasListed && this.#tools.find(params.name) === undefined;
  }

  /** Waits for the list; gives the call with the time that is left for it. */
  async #withList(call: ClientCall, next: Next, spentMs: number): Promise<ClientCall> {
    const { method, params, signal } = call;
    const time = new TimeBudget(method, { ...this.#parts.timeout, ...call.timeout }, spentMs);
    await time.spendWithin(signal, (within) =>
      this.#listing.join(within, (stop) => this.#readList(params, next, stop)),
    );
    return { ...call, timeout: time.rest };
  }

  /** Reads the whole list. Never rejects: without a list, the call is sent as it is. */
  async #readList({ _meta }: JsonObject, next: Next, signal: AbortSignal): Promise<void> {
    if (this.#isStale) this.#relistedAt = performance.now();
    this.#isStale = false;
    const { report, timeout = {} } = this.#parts;
    const meta = _meta === undefined ? {} : { _meta };
    const endList = this.#tools.beginList();
    const pages = readPages({
      method: "tools/list",
      key: "tools",
      timeout,
      send: (params, limits) =>
        next({ method: "tools/list", params: { ...meta, ...params }, signal, ...limits }),
      onFault: report,
    });
    try {
      for await (const { result } of pages) this.#tools.filter(result);
      endList();
    } catch {
      // If headers are missing, the error of the call names them.
    }
    this.#wasListed = !signal.aborted;
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
