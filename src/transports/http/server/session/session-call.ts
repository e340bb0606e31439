import type { Call, Session } from "../../../../contract/call.ts";
import type { RequestOptions } from "../../../../contract/channel.ts";
import type { Principal } from "../../../../contract/principal.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { TurnYielder } from "../../../../lib/yield-turn.ts";
import type { UnansweredRequest } from "../../../../peer/incoming-requests.ts";
import { encodeNotification, type RequestId } from "../../../../protocol/message.ts";
import { methods } from "../../../../protocol/methods.ts";
import type { ClientDeclaration } from "../../../../protocol/model/identity.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import { invalidRequest } from "../../../../protocol/wire-error.ts";
import type { State } from "../../../../state/state.ts";
import type { EndpointContext } from "../endpoint-context.ts";
import { LatestProgress } from "../events/latest-progress.ts";
import type { HttpSession } from "./http-session.ts";
import type { SessionReply } from "./session-reply.ts";

export interface SessionCallParts {
  readonly endpoint: EndpointContext;
  readonly live: HttpSession;
  readonly reply: SessionReply;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
}

/** A request within a session over HTTP. What it says goes on the stream of its own answer. */
export class SessionCall implements Call {
  readonly #answering: UnansweredRequest;
  readonly #parts: SessionCallParts;
  #progress: LatestProgress | undefined;
  #breath: TurnYielder | undefined;

  constructor(answering: UnansweredRequest, parts: SessionCallParts) {
    this.#answering = answering;
    this.#parts = parts;
  }

  get id(): RequestId {
    return this.#answering.id;
  }
  get method(): string {
    return this.#answering.method;
  }
  get params(): JsonObject {
    return this.#answering.params;
  }
  get session(): Session {
    return this.#parts.live.session;
  }
  get state(): State | undefined {
    return this.#parts.endpoint.state;
  }
  get revision(): Revision {
    return this.session.revision;
  }
  get client(): ClientDeclaration {
    return this.session.client;
  }
  get principal(): Principal | undefined {
    return this.#parts.principal;
  }
  get address(): string | undefined {
    return this.#parts.address;
  }
  get signal(): AbortSignal {
    return this.#answering.signal;
  }
  get closing(): AbortSignal {
    return this.#parts.endpoint.closing;
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    if (this.#answering.cancelled) return this.#pause();
    const text = encodeNotification(method, this.revision.encode.params(method, params));
    const send = async () => {
      const stream = this.#parts.reply.stream();
      // A handler that does not wait for its reader loses what there is no room for, never its answer.
      await (stream === undefined || stream.isFull ? this.#pause() : stream.send(text));
    };
    if (!methods.get(method)?.coalesces) return send();
    this.#progress ??= new LatestProgress();
    await this.#progress.send(send);
  }

  async ask(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const stream = this.#parts.reply.stream();
    if (stream === undefined) throw invalidRequest("The client can't be asked: it does not accept events.");
    return this.#parts.live.ask(stream, method, params, options);
  }

  disconnect(): void {
    if (this.revision.pollsStreams) this.#parts.reply.disconnect();
  }

  #pause(): Promise<void> | undefined {
    this.#breath ??= new TurnYielder();
    return this.#breath.afterCall();
  }
}
