import { type Answering, AnsweringSet } from "../../peer/answering.ts";
import type { Principal, Session } from "../../peer/call.ts";
import type { RequestOptions } from "../../peer/channel.ts";
import { InFlight, toCancelled, toProgress } from "../../peer/in-flight.ts";
import type { Change } from "../../peer/mount.ts";
import { ConnectionClosedError, RpcError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import {
  encodeNotification,
  encodeRequest,
  isRequestId,
  type RequestId,
  type RpcFailure,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../../protocol/message.ts";
import type { State, StoredSession } from "../../state/state.ts";
import { ResumableStream } from "./resumable-stream.ts";

/** A session over HTTP: many requests, each with a stream of its own, and one stream beside them. */
export class HttpSession {
  readonly session: Session;
  readonly owner: string;
  /** For what belongs to no request. */
  readonly standalone: ResumableStream;
  readonly #state: State;
  readonly #streams = new Map<string, ResumableStream>();
  readonly #asks = new InFlight();
  readonly #calls = new AnsweringSet();
  #nextAsk = 1;
  #nextStream = 1;
  #running = 0;
  #ready: boolean;

  constructor(session: Session, owner: string, state: State, ready = false) {
    this.session = session;
    this.owner = owner;
    this.#state = state;
    this.#ready = ready;
    this.standalone = this.openStream("main");
  }

  /** Whether a request is under way or a stream is read, so that the session is in use. */
  get busy(): boolean {
    return this.#running > 0 || this.standalone.connected;
  }

  openStream(id = `r${this.#nextStream++}`): ResumableStream {
    const stream = new ResumableStream(this.session.id, id, this.#state.events);
    this.#streams.set(id, stream);
    return stream;
  }

  findStream(id: string): ResumableStream | undefined {
    return this.#streams.get(id);
  }

  async forget(stream: ResumableStream): Promise<void> {
    this.#streams.delete(stream.id);
    await stream.close();
  }

  /** Undefined when a request with this id is being answered already. */
  begin(request: RpcRequest): Answering | undefined {
    const answering = this.#calls.begin(request);
    if (answering) this.#running++;
    return answering;
  }

  end(answering: Answering): void {
    this.#calls.end(answering);
    this.#running--;
  }

  cancel(id: RequestId, reason: unknown): void {
    this.#calls.cancel(id, reason);
  }

  /** Asks the client on the stream of the call that needs to know. */
  ask(
    stream: ResumableStream,
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<JsonObject> {
    const id = this.#nextAsk++;
    const reply = this.#asks.add(id, method, options, (reason) => {
      void stream.say(encodeNotification("notifications/cancelled", { requestId: id, reason }));
    });
    stream.say(encodeRequest(id, method, params)).catch((error: Error) => this.#asks.reject(id, error));
    return reply;
  }

  /** Takes what the client sends that wants no answer. */
  take(message: RpcNotification | RpcResponse | RpcFailure): void {
    switch (message.kind) {
      case "response":
        this.#asks.resolve(message.id, message.result);
        return;
      case "failure": {
        const { code, message: text, data } = message.error;
        if (message.id !== undefined) this.#asks.reject(message.id, new RpcError(code, text, data));
        return;
      }
      case "notification":
        this.#notified(message);
    }
  }

  /** Tells the client of a change, if it may hear of it. */
  tell(change: Change): void {
    if (!this.#ready) return;
    if (change.kind !== "resource") void this.#say(`notifications/${change.kind}/list_changed`, {});
    else if (this.session.subscriptions.has(change.uri)) {
      void this.#say("notifications/resources/updated", { uri: change.uri });
    }
  }

  async save(): Promise<void> {
    await this.#state.sessions.put(this.toStored());
  }

  toStored(): StoredSession {
    const { id, revision, client, logLevel, subscriptions } = this.session;
    return {
      id,
      owner: this.owner,
      revision: revision.version,
      client,
      ready: this.#ready,
      logLevel,
      subscriptions: [...subscriptions],
    };
  }

  async close(): Promise<void> {
    const reason = new ConnectionClosedError("The session has ended.");
    this.#calls.close(reason);
    this.#asks.close(reason);
    await Promise.all([...this.#streams.values()].map((stream) => stream.close()));
    await this.#state.sessions.remove(this.session.id);
  }

  #notified({ method, params }: RpcNotification): void {
    const progress = method === "notifications/progress" ? toProgress(params) : undefined;
    if (progress) this.#asks.progress(params.progressToken as RequestId, progress);
    if (method === "notifications/cancelled" && isRequestId(params.requestId)) {
      this.cancel(params.requestId, toCancelled("The call", params.reason));
    }
    if (method === "notifications/initialized") {
      this.#ready = true;
      void this.save();
    }
  }

  async #say(method: string, params: JsonObject): Promise<void> {
    await this.standalone.say(encodeNotification(method, params));
  }
}

/** One string for each principal, so that a session can be bound to the one who opened it. */
export function toOwner(principal: Principal | undefined): string {
  return principal === undefined
    ? ""
    : JSON.stringify([principal.issuer, principal.subject, principal.client]);
}
