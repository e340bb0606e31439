import type { Call, Session } from "../contract/call.ts";
import type { Channel, IncomingRequest, RequestOptions } from "../contract/channel.ts";
import type { Principal } from "../contract/principal.ts";
import type { Caller } from "../contract/service.ts";
import { NotInRevisionError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import { methods } from "../protocol/methods.ts";
import type { ClientDeclaration } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";

/** What all calls of one conversation have in common. */
export interface ConnectionContext {
  readonly channel: Channel;
  readonly principal: Principal | undefined;
  readonly address?: string | undefined;
  readonly closing: AbortSignal;
}

/** A request that came over a pipe. */
export class PipeCall implements Call {
  readonly #inbound: IncomingRequest;
  readonly #line: ConnectionContext;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly session: Session | undefined;
  #hasReported = false;

  constructor(inbound: IncomingRequest, line: ConnectionContext, caller: Caller, session?: Session) {
    this.#inbound = inbound;
    this.#line = line;
    this.revision = caller.revision;
    this.client = caller.client;
    this.session = session;
  }

  get id(): RequestId {
    return this.#inbound.id;
  }
  get method(): string {
    return this.#inbound.method;
  }
  get params(): JsonObject {
    return this.#inbound.params;
  }
  get signal(): AbortSignal {
    return this.#inbound.signal;
  }
  get principal(): Principal | undefined {
    return this.#line.principal;
  }
  get address(): string | undefined {
    return this.#line.address;
  }
  get closing(): AbortSignal {
    return this.#line.closing;
  }

  /** Whether progress of this call has been sent. */
  get hasSentProgress(): boolean {
    return this.#hasReported;
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    // Nothing more may be said of a call that was cancelled, and one that is over makes no progress.
    const isProgress = methods.get(method)?.coalesces === true;
    if (this.#inbound.cancelled || (isProgress && this.#inbound.answered)) return;
    if (isProgress) this.#hasReported = true;
    await this.#line.channel.notify(method, this.revision.encode.params(method, params));
  }

  /** A pipe has no connections of single calls. */
  disconnect(): void {}

  async ask(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    if (this.revision.asking !== "live") {
      throw new NotInRevisionError("A request from the server", this.revision.version);
    }
    return this.#line.channel.request(method, params, options);
  }
}
