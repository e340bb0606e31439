import type { Call, Session } from "../contract/call.ts";
import type { HttpView } from "../contract/caller/http-view.ts";
import type { Principal } from "../contract/caller/principal.ts";
import type { Channel, IncomingRequest, RequestOptions } from "../contract/channel.ts";
import type { CallingClient } from "../contract/service.ts";
import { ConnectionClosedError, NotInRevisionError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import { methods } from "../protocol/method-table.ts";
import type { ClientDeclaration } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";
import type { Initialized } from "./initialized.ts";

/** The context that all calls of one connection share. */
export interface ConnectionContext {
  readonly channel: Channel;
  readonly principal: Principal | undefined;
  readonly address?: string | undefined;
  /** The HTTP request that opened the connection. */
  readonly http?: HttpView | undefined;
  readonly closing: AbortSignal;
  readonly initialized: Initialized;
}

/** A call that came over a pipe. */
export class PipeCall implements Call {
  readonly #request: IncomingRequest;
  readonly #context: ConnectionContext;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly session: Session | undefined;
  #hasSentProgress = false;

  constructor(
    request: IncomingRequest,
    context: ConnectionContext,
    caller: CallingClient,
    session?: Session,
  ) {
    this.#request = request;
    this.#context = context;
    this.revision = caller.revision;
    this.client = caller.client;
    this.session = session;
  }

  get id(): RequestId {
    return this.#request.id;
  }
  get method(): string {
    return this.#request.method;
  }
  get params(): JsonObject {
    return this.#request.params;
  }
  get signal(): AbortSignal {
    return this.#request.signal;
  }
  get principal(): Principal | undefined {
    return this.#context.principal;
  }
  get address(): string | undefined {
    return this.#context.address;
  }
  get http(): HttpView | undefined {
    return this.#context.http;
  }
  get size(): number {
    return this.#request.size;
  }
  get closing(): AbortSignal {
    return this.#context.closing;
  }

  /** True once progress of this call has been sent. */
  get hasSentProgress(): boolean {
    return this.#hasSentProgress;
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    // No notification follows the cancellation of a call, and no progress follows its response.
    const isProgress = methods.get(method)?.coalesces === true;
    if (this.#request.cancelled || (isProgress && this.#request.answered)) return;
    if (isProgress) this.#hasSentProgress = true;
    try {
      await this.#context.channel.notify(method, this.revision.encode.params(method, params));
    } catch (error) {
      // The client is gone, so nobody misses it. A handler that does not wait must not end the process.
      if (!(error instanceof ConnectionClosedError)) throw error;
    }
  }

  /** Does nothing: on a pipe all calls share one connection. */
  disconnect(): void {}

  async ask(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    if (this.revision.asking !== "live") {
      throw new NotInRevisionError("A request from the server", this.revision.version);
    }
    const { initialized, channel } = this.#context;
    if (!initialized.isDone) await initialized.wait();
    return channel.request(method, params, options);
  }
}
