import type { RequestOptions } from "../contract/channel.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { ClientCall } from "./middleware.ts";

/** A call of the host, which knows its last request and how long it has taken. */
export class SentCall implements ClientCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: RequestOptions["signal"];
  readonly timeout: RequestOptions["timeout"];
  readonly onProgress: RequestOptions["onProgress"];
  readonly retry: RequestOptions["retry"];
  readonly headers: RequestOptions["headers"];
  readonly onSize: RequestOptions["onSize"];
  readonly suppressCancel: RequestOptions["suppressCancel"];
  /** Not a method: middlewares may copy the call. */
  readonly onId: (id: RequestId) => void;
  readonly #startedAt = performance.now();
  #lastId: RequestId | undefined;

  // Every member is named: copies by spread would cost more than the rest of the way.
  constructor(method: string, params: JsonObject, options: RequestOptions) {
    this.method = method;
    this.params = params;
    this.signal = options.signal;
    this.timeout = options.timeout;
    this.onProgress = options.onProgress;
    this.retry = options.retry;
    this.headers = options.headers;
    this.onSize = options.onSize;
    this.suppressCancel = options.suppressCancel;
    this.onId = (id) => {
      this.#lastId = id;
      options.onId?.(id);
    };
  }

  /** The id of its last request, once it was sent. */
  get lastId(): RequestId | undefined {
    return this.#lastId;
  }

  /** The time since the host made the call, in milliseconds. */
  get spentMs(): number {
    return performance.now() - this.#startedAt;
  }
}
