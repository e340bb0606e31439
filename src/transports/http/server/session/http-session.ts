import type { Session } from "../../../../contract/call.ts";
import { toCancelled } from "../../../../contract/cancellation.ts";
import { type RequestOptions, toProgress } from "../../../../contract/channel.ts";
import { isSubscribed, type ServerEvent } from "../../../../contract/server-event.ts";
import { ConnectionClosedError, RpcError } from "../../../../errors.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { ChangeNotifier } from "../../../../peer/change-notifier.ts";
import { IncomingRequests, type UnansweredRequest } from "../../../../peer/incoming-requests.ts";
import { OutgoingRequests } from "../../../../peer/outgoing-requests.ts";

import {
  encodeNotification,
  encodeRequest,
  isRequestId,
  type RequestId,
  type RpcFailure,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../../../../protocol/message.ts";
import type { State, StoredSession } from "../../../../state/state.ts";
import { type EventStream, NonResumableStream } from "../events/event-stream.ts";
import { ResumableStream } from "../events/resumable-stream.ts";

/** Where a session is kept, and for whom. */
export interface SessionPersistence {
  readonly state: State;
  readonly owner: string;
  /** How long a client may take to come back to a broken stream. */
  readonly resumeMs: number;
  /** Whether the client has said that it is ready. */
  readonly ready?: boolean;
}

/** Streams that have come to their end and could still be resumed. More of them would only take room. */
const maxFinished = 100;

/** A session over HTTP: many requests, each with a stream of its own, and one stream beside them. */
export class HttpSession {
  readonly session: Session;
  readonly #keeping: SessionPersistence | undefined;
  readonly #streams = new Map<string, ResumableStream>();
  readonly #finished: ResumableStream[] = [];
  #standalone: ResumableStream | undefined;
  readonly #asks = new OutgoingRequests();
  readonly #calls = new IncomingRequests();
  #notices: ChangeNotifier | undefined;
  #nextAsk = 1;
  #nextStream = 1;
  #running = 0;
  #ready: boolean;

  /** Without `keeping` it lasts for one request, and nothing is kept of it. */
  constructor(session: Session, keeping?: SessionPersistence) {
    this.session = session;
    this.#keeping = keeping;
    this.#ready = keeping?.ready ?? false;
  }

  get owner(): string | undefined {
    return this.#keeping?.owner;
  }

  /** Whether a request is under way or a stream is read, so that the session is in use. */
  get busy(): boolean {
    return this.#running > 0 || this.#standalone?.connected === true;
  }

  /** For what belongs to no request; undefined where nothing is kept. */
  get standalone(): ResumableStream | undefined {
    this.#standalone ??= this.#openKept("main");
    return this.#standalone;
  }

  /** A stream for one answer; `onLapsed` is told when nobody came back to it. */
  openStream(onLapsed: () => void): EventStream {
    return this.#openKept(`r${this.#nextStream++}`, onLapsed) ?? new NonResumableStream();
  }

  findStream(id: string): ResumableStream | undefined {
    return id === "main" ? this.standalone : this.#streams.get(id);
  }

  /** A stream has come to its end; the client may come back to the last of them. */
  retire(stream: EventStream): void {
    if (!(stream instanceof ResumableStream)) return;
    this.#finished.push(stream);
    const oldest = this.#finished.length > maxFinished ? this.#finished.shift() : undefined;
    if (oldest) void this.#forget(oldest);
  }

  /** Undefined when a request with this id is being answered already. */
  begin(request: RpcRequest): UnansweredRequest | undefined {
    const answering = this.#calls.begin(request);
    if (answering) this.#running++;
    return answering;
  }

  end(answering: UnansweredRequest): void {
    this.#calls.end(answering);
    this.#running--;
  }

  cancel(id: RequestId, reason: unknown): void {
    this.#calls.cancel(id, reason);
  }

  /** Asks the client on the stream of the call that needs to know. */
  ask(stream: EventStream, method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const id = this.#nextAsk++;
    const reply = this.#asks.add(id, method, options, (reason) => {
      const text = encodeNotification("notifications/cancelled", { requestId: id, reason });
      // A client that can't be told has nothing to give up.
      stream.send(text).catch(() => {});
    });
    stream.send(encodeRequest(id, method, params)).catch((error: Error) => this.#asks.reject(id, error));
    return reply;
  }

  /** Takes what the client sends that wants no answer. */
  async receive(message: RpcNotification | RpcResponse | RpcFailure): Promise<void> {
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
        await this.#notified(message);
    }
  }

  /** Tells the client of a change, if it may hear of it. */
  notify(event: ServerEvent): void {
    if (!this.#ready || !isSubscribed(event, this.session)) return;
    if (event.kind === "elicitation") this.session.pendingElicitations.delete(event.id);
    this.#notices ??= new ChangeNotifier(
      async (method, params) => this.standalone?.send(encodeNotification(method, params)),
      // What can't be kept is lost to this session, and there is nobody to tell.
      () => {},
    );
    this.#notices.notify(event);
  }

  async save(): Promise<void> {
    await this.#keeping?.state.sessions.put(this.#toStored(this.#keeping.owner));
  }

  /** Ends what is under way here. What is kept stays, so that the client can go on with another node. */
  detach(): void {
    const reason = new ConnectionClosedError("The session has ended.");
    this.#calls.close(reason);
    this.#asks.close(reason);
    for (const stream of this.#streams.values()) stream.detach();
  }

  /** Ends the session for good. */
  async close(): Promise<void> {
    this.detach();
    await Promise.all([...this.#streams.values()].map((stream) => stream.close()));
    await this.#keeping?.state.sessions.remove(this.session.id);
  }

  #openKept(id: string, onLapsed?: () => void): ResumableStream | undefined {
    if (this.#keeping === undefined) return undefined;
    const { state, resumeMs } = this.#keeping;
    const lapse = onLapsed && {
      afterMs: resumeMs,
      onLapsed: () => {
        onLapsed();
        void this.#forget(stream);
      },
    };
    const stream = new ResumableStream({ session: this.session.id, id, store: state.events }, lapse);
    this.#streams.set(id, stream);
    return stream;
  }

  async #forget(stream: ResumableStream): Promise<void> {
    this.#streams.delete(stream.id);
    const at = this.#finished.indexOf(stream);
    if (at >= 0) this.#finished.splice(at, 1);
    await stream.close();
  }

  #toStored(owner: string): StoredSession {
    const { id, revision, client, logLevel, lists, subscriptions } = this.session;
    return {
      id,
      owner,
      revision: revision.version,
      client,
      ready: this.#ready,
      logLevel,
      lists: [...lists],
      subscriptions: [...subscriptions],
    };
  }

  async #notified({ method, params }: RpcNotification): Promise<void> {
    const progress = method === "notifications/progress" ? toProgress(params) : undefined;
    if (progress) this.#asks.progress(params.progressToken as RequestId, progress);
    if (method === "notifications/cancelled" && isRequestId(params.requestId)) {
      this.cancel(params.requestId, toCancelled("The call", params.reason));
    }
    if (method === "notifications/initialized") {
      this.#ready = true;
      await this.save();
    }
  }
}
