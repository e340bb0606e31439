import { untilAborted } from "../../../contract/cancellation.ts";
import type { RequestOptions } from "../../../contract/channel.ts";
import { RpcError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import type { RpcRequest } from "../../../protocol/message.ts";
import { readProtocolVersion } from "../../../protocol/meta.ts";
import type { ParamHeader } from "../../../protocol/param-headers.ts";
import { WireCode } from "../../../protocol/wire-error.ts";
import { ToolHeaders } from "./tool-headers.ts";

type Send = (method: string, params: JsonObject, options: RequestOptions) => Promise<JsonObject>;

const maxPages = 1_000;
const relistMs = 1_000;

/**
 * Calls of tools, some of whose arguments a server may want to see in headers.
 *
 * Which ones stands in its list of tools. Where nobody has asked for that yet, it is asked
 * for before the first call: headers that are missing would send the call the wrong way.
 */
export class ToolCalls {
  readonly #send: Send;
  readonly #book: ToolHeaders;
  #learning: Promise<void> | undefined;
  #learnedAt = Number.NEGATIVE_INFINITY;
  #isStale = false;

  constructor(send: Send, report: (problem: Error) => void) {
    this.#send = send;
    this.#book = new ToolHeaders(report);
  }

  mirrored({ method, params }: RpcRequest): readonly ParamHeader[] {
    return method === "tools/call" ? this.#book.mirroredOf(params.name) : [];
  }

  isRepeatable({ name }: JsonObject): boolean {
    return this.#book.isRepeatable(name);
  }

  async list(params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const result = await this.#send("tools/list", params, options);
    if (mirrors(params)) return this.#book.filter(result);
    this.#book.take(result);
    return result;
  }

  async call(params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (!mirrors(params)) return this.#send("tools/call", params, options);
    await this.#learn(params, options);
    try {
      return await this.#send("tools/call", params, options);
    } catch (error) {
      if (!(error instanceof RpcError) || error.wireCode !== WireCode.headerMismatch) throw error;
      // The tool may have changed since it was listed.
      this.#forget();
      await this.#learn(params, options);
      return this.#send("tools/call", params, options);
    }
  }

  /** The server says that its tools have changed. */
  onChange(): void {
    this.#isStale = true;
  }

  #forget(): void {
    this.#book.clear();
    this.#learning = undefined;
    this.#isStale = false;
    this.#learnedAt = performance.now();
  }

  async #learn(params: JsonObject, { signal }: RequestOptions): Promise<void> {
    // A server that says so all the time is asked no more than once a second.
    if (this.#isStale && performance.now() - this.#learnedAt >= relistMs) this.#forget();
    if (this.#book.knows(params.name)) return;
    this.#learning ??= this.#readList(params);
    await untilAborted(this.#learning, "tools/call", signal);
  }

  /** A list that can't be had is no reason not to call. */
  async #readList({ _meta }: JsonObject): Promise<void> {
    try {
      let cursor: unknown;
      for (let page = 0; page < maxPages; page++) {
        const result = await this.#send("tools/list", cursor ? { cursor, _meta } : { _meta }, {});
        this.#book.filter(result);
        cursor = result.nextCursor;
        if (typeof cursor !== "string") return;
      }
    } catch {
      // The server will say itself what it misses.
    }
  }
}

/** Whether a request is of a revision that mirrors arguments in headers. */
function mirrors(params: JsonObject): boolean {
  return readProtocolVersion(params) !== undefined;
}
