import type { Session } from "../../../../contract/call.ts";
import { toCancelled } from "../../../../contract/cancellation.ts";
import { type RequestOptions, toProgress, withProgressToken } from "../../../../contract/channel.ts";
import { isSubscribed, type ServerEvent } from "../../../../contract/server-event.ts";
import { ConnectionClosedError, RpcError } from "../../../../errors.ts";
import { sessionSize } from "../../../../guard/session-size.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { ChangeNotifier } from "../../../../peer/change-notifier.ts";
import { IncomingRequests, type UnansweredRequest } from "../../../../peer/incoming-requests.ts";
import { Initialized } from "../../../../peer/initialized.ts";
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
import type { Revision } from "../../../../protocol/revision.ts";
import { invalidRequest } from "../../../../protocol/wire-error.ts";
import type { State, StoredSession } from "../../../../state/state.ts";
import type { EventStream } from "../events/event-stream.ts";
import { createSessionId } from "./session-id.ts";
import { SessionStreams } from "./session-streams.ts";

/** The place where a session is stored, and its owner. */
export interface SessionPersistence {
  readonly state: State;
  readonly owner: string;
  /** The time that a client has to come back to a broken stream. */
  readonly resumeMs: number;
  /** Whether the client has sent `notifications/initialized`. */
  readonly ready?: boolean;
  /** Receives the bytes that the session takes, whenever it is saved. */
  readonly onResized?: (bytes: number) => void;
}

/** A session over HTTP: many requests, each with a stream of its own, and one stream beside them. */
export class HttpSession {
  readonly session: Session;
  readonly streams: SessionStreams;
  readonly #persistence: SessionPersistence | undefined;
  readonly #incoming = new IncomingRequests();
  readonly #outgoing = new OutgoingRequests();
  #changes: ChangeNotifier | undefined;
  #nextId = 1;
  #running = 0;
  readonly #initialized: Initialized;

  /** Without `persistence` the session lasts for one request, and nothing of it is stored. */
  constructor(session: Session, persistence?: SessionPersistence) {
    this.session = session;
    this.#persistence = persistence;
    this.streams = new SessionStreams(
      persistence && {
        session: session.id,
        store: persistence.state.events,
        resumeMs: persistence.resumeMs,
      },
    );
    this.#initialized = new Initialized(persistence?.ready);
  }

  /** A session for one request, where none are kept. */
  static forOneRequest(revision: Revision): HttpSession {
    return new HttpSession({
      id: createSessionId(),
      revision,
      client: { info: undefined, capabilities: {} },
      logLevel: undefined,
      lists: new Set<string>(),
      subscriptions: new Set<string>(),
      pendingElicitations: new Set<string>(),
    });
  }

  get owner(): string | undefined {
    return this.#persistence?.owner;
  }

  /** Whether a call is running or the standalone stream is read, so that the session is in use. */
  get busy(): boolean {
    return this.#running > 0 || this.streams.hasStandaloneReader;
  }

  /** Registers a request; undefined when one with its id is still being answered. */
  begin(request: RpcRequest): UnansweredRequest | undefined {
    const unanswered = this.#incoming.begin(request);
    if (unanswered) this.#running++;
    return unanswered;
  }

  end(unanswered: UnansweredRequest): void {
    this.#incoming.end(unanswered);
    this.#running--;
    if (this.#persistence === undefined && this.#running === 0) this.session.onEnd?.();
  }

  cancel(id: RequestId, reason: unknown): void {
    this.#incoming.cancel(id, reason);
  }

  /** Sends a request to the client on the stream of the call that needs the answer. */
  async ask(
    stream: EventStream,
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<JsonObject> {
    if (this.#persistence === undefined)
      throw invalidRequest("The client can't be asked: without sessions its answer would find no call.");
    if (!this.#initialized.isDone) await this.#whenInitialized(this.#persistence);
    const id = this.#nextId++;
    // Throws for a value that is not JSON, so it comes before the request is registered.
    const text = encodeRequest(id, method, options.onProgress ? withProgressToken(params, id) : params);
    const answer = this.#outgoing.add(id, method, options, (reason) => {
      // A client that can't be reached has nothing to give up.
      void trySend(
        stream,
        encodeNotification("notifications/cancelled", { requestId: id, reason }),
        () => {},
      );
    });
    void trySend(stream, text, (error) => this.#outgoing.reject(id, error));
    return answer;
  }

  /** Takes a message that needs no answer. */
  async receive(message: RpcNotification | RpcResponse | RpcFailure): Promise<void> {
    switch (message.kind) {
      case "response":
        this.#outgoing.resolve(message.id, message.result);
        return;
      case "failure": {
        const { code, message: text, data } = message.error;
        if (message.id !== undefined) this.#outgoing.reject(message.id, new RpcError(code, text, data));
        return;
      }
      case "notification":
        await this.#onNotification(message);
    }
  }

  /** Notifies the client of a change, if it has subscribed to it. */
  notify(event: ServerEvent): void {
    if (!this.#initialized.isDone || !isSubscribed(event, this.session)) return;
    if (event.kind === "elicitation") this.session.pendingElicitations.delete(event.id);
    this.#changes ??= new ChangeNotifier(
      async (method, params) => this.streams.standalone?.send(encodeNotification(method, params)),
      // A change that can't be stored is lost to this session, and the client can't be told.
      () => {},
    );
    this.#changes.notify(event);
  }

  async save(): Promise<void> {
    this.#persistence?.onResized?.(sessionSize(this.session));
    await this.#persistence?.state.sessions.put(this.#toStored(this.#persistence.owner));
  }

  /** Ends the calls that run here. Stored state stays, so that the client can go on with another node. */
  detach(): void {
    const reason = new ConnectionClosedError("The session has ended.");
    this.#incoming.close(reason);
    this.#outgoing.close(reason);
    this.streams.detach();
    this.session.onEnd?.();
  }

  /** Ends the session and removes its stored state. */
  async close(): Promise<void> {
    this.detach();
    await this.streams.close();
    await this.#persistence?.state.sessions.remove(this.session.id);
  }

  /** Settles when the client may be asked. Its notification may have come to another node. */
  async #whenInitialized({ state }: SessionPersistence): Promise<void> {
    const stored = await state.sessions.find(this.session.id);
    if (stored?.ready) this.#initialized.mark();
    await this.#initialized.wait();
  }

  #toStored(owner: string): StoredSession {
    const { id, revision, client, logLevel, lists, subscriptions } = this.session;
    return {
      id,
      owner,
      revision: revision.version,
      client,
      ready: this.#initialized.isDone,
      logLevel,
      lists: [...lists],
      subscriptions: [...subscriptions],
    };
  }

  async #onNotification({ method, params }: RpcNotification): Promise<void> {
    const progress = method === "notifications/progress" ? toProgress(params) : undefined;
    if (progress) this.#outgoing.progress(params.progressToken as RequestId, progress);
    if (method === "notifications/cancelled" && isRequestId(params.requestId)) {
      this.cancel(params.requestId, toCancelled("The call", params.reason));
    }
    if (method === "notifications/initialized") {
      this.#initialized.mark();
      await this.save();
    }
  }
}

async function trySend(stream: EventStream, text: string, onFailure: (error: Error) => void): Promise<void> {
  try {
    await stream.send(text);
  } catch (error) {
    onFailure(error as Error);
  }
}
