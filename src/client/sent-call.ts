import type { RequestOptions } from "../contract/channel.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { ClientCall } from "./middleware.ts";

/** A call of the host, which knows its last request and how long it has taken. */
export class SentCall implements ClientCall {
  // `declare`: a plain field would first be set to undefined, once more for each member of each call.
  declare readonly method: string;
  declare readonly params: JsonObject;
  declare readonly signal: RequestOptions["signal"];
  declare readonly timeout: RequestOptions["timeout"];
  declare readonly onProgress: RequestOptions["onProgress"];
  declare readonly retry: RequestOptions["retry"];
  declare readonly headers: RequestOptions["headers"];
  declare readonly onSize: RequestOptions["onSize"];
  declare readonly suppressCancel: RequestOptions["suppressCancel"];
  /** Not a method: middlewares may copy the call. */
  declare readonly onId: (id: RequestId) => void;
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
