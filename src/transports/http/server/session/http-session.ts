import { noteElicited } from "../../../../cluster/elicited.ts";
import type { ClusterNode } from "../../../../cluster/node.ts";
import type { MessageSource } from "../../../../cluster/questions.ts";
import type { Session, SessionChange } from "../../../../contract/call.ts";
import { toCancelled } from "../../../../contract/cancelled-error.ts";
import { type RequestOptions, toProgress } from "../../../../contract/channel.ts";
import { isSubscribed, type ServerEvent, toAllChanges } from "../../../../contract/server-event.ts";
import { endSession } from "../../../../contract/session-end.ts";
import { observeSending, type Telemetry } from "../../../../contract/telemetry.ts";
import { ConnectionClosedError, InvalidResponseError, RpcError } from "../../../../errors.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { ChangeNotifier } from "../../../../peer/change-notifier.ts";
import { IncomingRequests, type UnansweredRequest } from "../../../../peer/incoming-requests.ts";
import { Initialized } from "../../../../peer/initialized.ts";
import type { OutgoingRequests } from "../../../../peer/outgoing-requests.ts";
import {
  type AnyResponse,
  encodeNotification,
  encodePart,
  isRequestId,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
} from "../../../../protocol/message.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import { joinMeta } from "../../../../protocol/shared-meta.ts";
import { invalidRequest } from "../../../../protocol/wire-error.ts";
import { type EventStore, type State, streamStart, type VersionedSession } from "../../../../state/state.ts";
import type { EventConnection } from "../events/event-connection.ts";
import type { EventStream } from "../events/event-stream.ts";
import { createSessionId } from "./session-id.ts";
import { type RecordOrigin, SessionRecord } from "./session-record.ts";
import { SessionStreams, type StreamStorage } from "./session-streams.ts";
import type { StandaloneFeed } from "./standalone-feed.ts";

/** The longest reason of a cancellation that is sent to other nodes. */
const maxReasonChars = 1_024;

/** The place where sessions are stored. All sessions of a table share one: each has little of its own, as there may be many. */
export interface SessionPersistence {
  readonly state: State;
  /** The node that serves them, where others share the state. */
  readonly node?: ClusterNode | undefined;
  /** The time that a client has to come back to a broken stream. */
  readonly resumeMs: number;
  /** The time that a session is stored without a request. */
  readonly idleMs: number;
  readonly telemetry?: Telemetry | undefined;
  /** Takes room for a session, before it is stored; rejects where there is none. */
  takeRoom(session: string): MaybePromise<void>;
  /** The caller in whose share of the store a session counts. */
  holderOf(session: string): string | undefined;
  /** The place of the events of a session. */
  eventsOf(session: string): EventStore;
}

/** A session over HTTP: many requests, each with a stream of its own, and one stream beside them. */
export class HttpSession {
  readonly session: Session;
  readonly owner: string | undefined;
  readonly #persistence: SessionPersistence | undefined;
  readonly #record: SessionRecord | undefined;
  // Made on first use: most sessions are idle, and there may be many.
  #streams: SessionStreams | undefined;
  #incoming: IncomingRequests | undefined;
  #outgoing: OutgoingRequests | undefined;
  #changes: ChangeNotifier | undefined;
  #nextId = 1;
  #running = 0;
  readonly #initialized: Initialized;
  /** The standalone stream as it is read here, where its events come from all nodes. */
  #feed: StandaloneFeed | undefined;

  /** Without `persistence` the session lasts for one request, and nothing of it is stored. */
  constructor(session: Session, persistence?: SessionPersistence, origin?: RecordOrigin) {
    this.session = session;
    this.owner = origin?.owner;
    this.#persistence = persistence;
    this.#initialized = new Initialized(origin?.stored?.session.ready);
    if (persistence && origin)
      this.#record = new SessionRecord(session, this.#initialized, persistence, origin);
  }

  /** A session for one request, where none are kept. */
  static forOneRequest(revision: Revision): HttpSession {
    return new HttpSession({
      id: createSessionId(),
      revision,
      client: { info: undefined, capabilities: {} },
      logLevel: undefined,
      lists: new Set<string>(),
    });
  }

  get streams(): SessionStreams {
    this.#streams ??= new SessionStreams(this.#persistence && toStorage(this.session.id, this.#persistence));
    return this.#streams;
  }

  get telemetry(): Telemetry | undefined {
    return this.#persistence?.telemetry;
  }

  /** The node that serves it, where others share the state. */
  get node(): ClusterNode | undefined {
    return this.#persistence?.node;
  }

  /** True if the client may be notified. */
  get isReady(): boolean {
    return this.#initialized.isDone;
  }

  /** The offset in the events of the server up to which the standalone stream was read. */
  get read(): string {
    return this.#record?.read ?? streamStart;
  }

  /** True if a call is running or the standalone stream is read, so that the session is in use. */
  get busy(): boolean {
    return this.#running > 0 || this.#feed !== undefined || this.#streams?.hasStandaloneReader === true;
  }

  /** Registers a request; undefined when one with its id is still being answered. */
  begin(request: RpcRequest): UnansweredRequest | undefined {
    this.#incoming ??= new IncomingRequests();
    const unanswered = this.#incoming.begin(request);
    if (unanswered) this.#running++;
    return unanswered;
  }

  end(unanswered: UnansweredRequest): void {
    this.#incoming?.end(unanswered);
    this.#running--;
    if (this.#persistence === undefined && this.#running === 0) endSession(this.session);
  }

  /** Cancels a call; false when it does not run here. */
  cancel(id: RequestId, reason: unknown): boolean {
    return this.#incoming?.cancel(id, reason) === true;
  }

  /** Sends a request to the client, on the stream of the call that needs the answer or on the one beside the calls. */
  async ask(
    stream: QuestionStream,
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<JsonObject> {
    if (this.#persistence === undefined)
      throw invalidRequest("The client can't be asked: without sessions its answer would find no call.");
    // Loaded with the first question: most servers ask none.
    const { OutgoingRequests } = await import("../../../../peer/outgoing-requests.ts");
    if (!this.#initialized.isDone) await this.#whenInitialized();
    const { node } = this.#persistence;
    // Before the question leaves: the visit that it asks for may end at once, at any node.
    if (node) await this.noteElicitations();
    const id = node ? await node.questions.open(this.session.id) : this.#nextId++;
    const { signal } = options;
    // Nothing would end the wait for an answer: the call, or its session, has ended meanwhile.
    if (signal?.aborted || this.session.hasEnded) {
      node?.questions.close(String(id));
      throw toCancelled(method, signal?.reason ?? sessionEnded());
    }
    // Throws for a value that is not JSON, so it comes before the request is registered.
    const sent = options.onProgress ? joinMeta(params, { progressToken: id }) : params;
    const text = encodePart(method, { jsonrpc: "2.0", id, method, params: sent });
    const outgoing = this.#outgoing ?? new OutgoingRequests();
    this.#outgoing = outgoing;
    const answer = outgoing.add(id, method, options, (_, reason) => {
      if (options.suppressCancel) return;
      // A client that can't be reached has nothing to give up.
      void trySend(
        stream,
        encodeNotification("notifications/cancelled", { requestId: id, reason }),
        () => {},
      );
    });
    void trySend(stream, text, (error) => outgoing.reject(id, error));
    return node ? answer.finally(() => node.questions.close(String(id))) : answer;
  }

  /** Takes a message that needs no answer, or passes it on to the node that can use it. */
  async receive(message: RpcNotification | AnyResponse): Promise<void> {
    if (message.kind === "notification") return this.#onNotification(message);
    if (this.answer(message)) return;
    const holder = this.#persistence?.holderOf(this.session.id);
    await this.node?.questions.passAnswer(this.#source, { message, holder });
  }

  /** Settles a question that was asked here; returns false when it is unknown. */
  answer(message: AnyResponse): boolean {
    if (message.id === undefined || this.#outgoing === undefined) return false;
    if (message.kind === "response") return this.#outgoing.resolve(message.id, message.result);
    const { code, message: text, data } = message.error;
    const error =
      message.kind === "invalid" ? new InvalidResponseError(text) : new RpcError(code, text, data);
    return this.#outgoing.reject(message.id, error);
  }

  /** Takes the client's progress with a question that was asked here; returns false when it is unknown. */
  takeProgress(params: JsonObject): boolean {
    const progress = toProgress(params);
    if (progress === undefined || this.#outgoing === undefined) return false;
    return this.#outgoing.progress(params.progressToken as RequestId, progress);
  }

  /** Notifies the client of a change, if it has subscribed to it. */
  notify(event: ServerEvent): void {
    if (!this.#initialized.isDone || !isSubscribed(event, this.session)) return;
    if (event.kind === "elicitation") this.session.pendingElicitations?.delete(event.id);
    const revision = this.session.revision.version;
    this.#changes ??= new ChangeNotifier(
      (method, params) =>
        observeSending(this.telemetry, { method, params, revision }, async (sent) =>
          this.streams.standalone?.send(encodeNotification(method, sent)),
        ),
      // A change that can't be stored is lost to this session, and the client can't be notified.
      () => {},
    );
    this.#changes.notify(event);
  }

  /** Notifies a client that has missed events: anything may have changed. */
  notifyAll(): void {
    for (const change of toAllChanges(this.session)) this.notify(change);
  }

  /**
   * Stores what has changed, and has other nodes take it over. A change that the store did not take is undone.
   *
   * Rejects also where the others can't be notified: the node that reads the standalone stream would go on without the
   * change. The client asks again, which does no harm.
   */
  async save(change?: SessionChange): Promise<void> {
    if (this.#persistence === undefined || this.#record === undefined) return;
    const isNew = !this.#record.isStored;
    await this.#record.save({ change });
    if (isNew || this.node === undefined) return;
    await this.node.bus.send({ type: "session-changed", session: this.session.id, by: this.node.id });
  }

  /** Lets the stored session live on, and takes over what has changed of it; false when it is gone. */
  async renew(): Promise<boolean> {
    return this.#record?.reload() ?? true;
  }

  /** The version of the stored session that was read or written here last. */
  get version(): string | undefined {
    return this.#record?.version;
  }

  /** Takes over what another node has stored, as it was read when this node had `version`. */
  refresh(found: VersionedSession, version: string | undefined): MaybePromise<unknown> {
    return this.#record?.refresh(found, version) === false ? this.renew() : undefined;
  }

  /** Stores that the client was asked to visit URLs, so that the node where a visit is completed can notify it. */
  noteElicitations(): MaybePromise<void> {
    const { pendingElicitations: pending, id } = this.session;
    if (this.node === undefined || pending === undefined || pending.size === 0) return;
    const { values } = this.node.state;
    const ids = [...pending];
    pending.clear();
    return Promise.all(ids.map((elicitation) => noteElicited(values, elicitation, id))).then(() => {});
  }

  /** Takes the standalone stream that is read here now; the one before ends. */
  takeFeed(feed: StandaloneFeed): void {
    this.#feed?.end();
    this.#feed = feed;
  }

  /** Takes note of a reader of the standalone stream, here or at another node. */
  onStreamTaken(reader: string): void {
    if (this.#feed?.isReplacedBy(reader)) this.endFeed();
  }

  /** Ends the standalone stream that is read here, if it is this one; with `retryMs` the client is asked to come back. */
  endFeed(feed: StandaloneFeed | undefined = this.#feed, retryMs?: number): void {
    if (feed === undefined || this.#feed !== feed) return;
    this.#feed = undefined;
    feed.end(retryMs);
    void this.#record?.save({ read: feed.offset }).catch(() => {});
  }

  /** Ends the streams to which the client can come back, at any node. */
  leaveStreams(retryMs: number): void {
    this.endFeed(this.#feed, retryMs);
    this.#streams?.leave(retryMs, this.session.revision.pollsStreams);
  }

  /** Ends the calls that another node has answered, because it took this one for dead. */
  async confirmStreams(): Promise<void> {
    await this.#streams?.confirm();
  }

  /** Ends the calls that run here. Stored state stays, so that the client can go on with another node. */
  detach(): void {
    const reason = sessionEnded();
    this.#incoming?.close(reason);
    this.#outgoing?.close(reason);
    this.endFeed();
    this.#streams?.detach();
    endSession(this.session);
  }

  /** Ends the session and removes its stored state. */
  async close(): Promise<void> {
    this.detach();
    // While its streams are removed, no node may take it up again and answer on them.
    await this.streams.close(this.#persistence?.state.sessions.remove(this.session.id));
  }

  get #source(): MessageSource {
    return { session: this.session.id, owner: this.owner ?? "" };
  }

  /** Settles when the client may be asked. Its notification may have come to another node. */
  async #whenInitialized(): Promise<void> {
    await this.renew();
    await this.#initialized.wait();
  }

  async #onNotification({ method, params }: RpcNotification): Promise<void> {
    switch (method) {
      case "notifications/progress":
        if (!this.takeProgress(params)) await this.node?.questions.passProgress(this.#source, params);
        return;
      case "notifications/cancelled":
        if (isRequestId(params.requestId)) await this.#cancelAnywhere(params.requestId, params.reason);
        return;
      case "notifications/initialized":
        this.#initialized.mark();
        await this.save();
    }
  }

  async #cancelAnywhere(request: RequestId, given: unknown): Promise<void> {
    if (this.cancel(request, toCancelled("The call", given)) || this.node === undefined) return;
    const reason = typeof given === "string" ? given.slice(0, maxReasonChars) : undefined;
    await this.node.bus.send({ type: "call-cancelled", session: this.session.id, request, reason });
  }
}

function sessionEnded(): ConnectionClosedError {
  return new ConnectionClosedError("The session has ended.");
}

function toStorage(session: string, { eventsOf, resumeMs, node }: SessionPersistence): StreamStorage {
  return { session, store: eventsOf(session), resumeMs, node };
}

/** A stream that takes questions to the client. */
type QuestionStream = Pick<EventStream | EventConnection, "send">;

async function trySend(
  stream: QuestionStream,
  text: string,
  onFailure: (error: Error) => void,
): Promise<void> {
  try {
    await stream.send(text);
  } catch (error) {
    onFailure(error as Error);
  }
}
