import type { Session } from "../contract/call.ts";
import type { HttpView } from "../contract/caller/http-view.ts";
import type { Principal } from "../contract/caller/principal.ts";
import type { IncomingRequest, Receiver } from "../contract/channel.ts";
import { assertPingOptions, type PingOptions } from "../contract/ping.ts";
import type { Pipe } from "../contract/pipe.ts";
import { isSubscribed, type ServerEvent } from "../contract/server-event.ts";
import { type CallingClient, type Servable, type Service, serviceOf } from "../contract/service.ts";
import { endSession } from "../contract/session-end.ts";
import { observeReceived, observeSending } from "../contract/telemetry.ts";
import { type DebugOption, openDebugLog } from "../debug/debug-log.ts";
import { RpcError, UsageError } from "../errors.ts";
import { Throttle } from "../lib/async/throttle.ts";
import { settlesWithin } from "../lib/async/wait-at-most.ts";
import { nextTurn } from "../lib/async/yield-turn.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import { describesSender, hasProtocolVersion } from "../protocol/meta.ts";
import { methods } from "../protocol/method-table.ts";
import { invalidRequest, WireCode } from "../protocol/wire-error.ts";
import { CallQueue } from "./call-queue.ts";
import { ChangeNotifier } from "./change-notifier.ts";
import { Initialized } from "./initialized.ts";
import { Peer } from "./peer.ts";
import { type ConnectionContext, PipeCall } from "./pipe-call.ts";

export interface ServerConnectionOptions {
  /** The identity of the client, where the pipe itself proves it. */
  readonly principal?: Principal | undefined;
  /** The network address of the client, as far as the transport knows it. */
  readonly address?: string | undefined;
  /** The HTTP request that opened the connection, where one did. */
  readonly http?: HttpView | undefined;
  /**
   * The limit of calls that run at once, including cancelled ones that have not ended. Further ones wait for
   * their turn, up to 10,000 calls and 4 MiB of them; those beyond are refused.
   * As many calls may listen to changes beside them; further ones are refused.
   * As many notifications may have running listeners; further ones are dropped.
   *
   * Default 1,000: without a limit one client can make a server run out of memory.
   */
  readonly maxCalls?: number | undefined;
  /** Called when the session has opened, and after calls that change it. */
  readonly onSessionChanged?: ((session: Session) => void) | undefined;
  readonly debug?: DebugOption | undefined;
  /** Sends pings to the client at an interval, in revisions that have them. Default: none. */
  readonly ping?: PingOptions | undefined;
}

const defaultMaxCalls = 1_000;
const defaultDrainMs = 5000;

/**
 * The server's side of a connection over a pipe.
 *
 * A request that names its revision is served without a session; the others belong to the
 * session that `initialize` opened. Both may come over the same pipe.
 */
export class ServerConnection implements Receiver {
  readonly #service: Service;
  readonly #pipe: Pipe;
  readonly #peer: Peer;
  readonly #maxCalls: number;
  readonly #calls: CallQueue;
  /** Calls that go on until the client ends them. They take no turn from the others, and one above the limit is refused. */
  readonly #listening: CallQueue;
  readonly #onSessionChanged: ((session: Session) => void) | undefined;
  readonly #closing = new AbortController();
  #context: ConnectionContext;
  readonly #notifier: ChangeNotifier;
  readonly #unsubscribe: () => void;
  readonly #closed: Promise<void>;
  #resolveClosed: () => void = () => {};
  #session: Session | undefined;
  #hasExpired = false;
  #readying: Promise<void> | undefined;
  #runningListeners = 0;
  readonly #dropReports = new Throttle(60_000);

  constructor(service: Service, pipe: Pipe, options: ServerConnectionOptions = {}) {
    const { principal, address, http, maxCalls = defaultMaxCalls, ping } = options;
    assertPingOptions(ping);
    if (!(maxCalls >= 1)) throw new UsageError(`maxCalls must be at least 1, not ${maxCalls}.`);
    this.#service = service;
    this.#maxCalls = maxCalls;
    const pauseUntil = (loaded: Promise<void>) => pipe.pauseUntil?.(loaded);
    this.#calls = new CallQueue(maxCalls, pauseUntil);
    this.#listening = new CallQueue(maxCalls, pauseUntil, 0);
    this.#onSessionChanged = options.onSessionChanged;
    this.#pipe = pipe;
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#peer = new Peer(pipe, {
      receiver: this,
      revision: () => this.#session?.revision,
      tap: openDebugLog("server", options.debug)?.show,
    });
    this.#context = {
      channel: this.#peer,
      principal,
      address,
      http,
      closing: this.#closing.signal,
      initialized: new Initialized(),
    };
    this.#notifier = new ChangeNotifier(
      (method, params) => this.#sendNotification(method, params),
      (problem) => this.onProblem(problem),
    );
    this.#unsubscribe = service.onChange((event) => this.#onEvent(event));
    this.#peer.start();
    if (ping)
      this.#startPings(ping).catch((cause: unknown) => service.report("The client gets no pings", cause));
  }

  /** Replaces the principal of all messages that come from now on, when its proof was renewed or has expired. */
  updatePrincipal(principal: Principal | undefined): void {
    this.#context = { ...this.#context, principal };
  }

  /** Settles when the pipe is closed. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Gives running calls at most `drainMs` to finish, then closes the pipe. */
  async close(drainMs: number = defaultDrainMs): Promise<void> {
    this.endListening();
    await this.drained(drainMs);
    await this.#peer.close();
  }

  /** Takes no new calls, since the proof of the principal has expired; running ones have as long as in `close`. */
  async expire(): Promise<void> {
    this.#hasExpired = true;
    await this.close();
  }

  /** Ends the calls that would go on until the server closes, each with its result. */
  endListening(): void {
    this.#closing.abort();
  }

  /** Settles once every call has been answered, or after the time limit. */
  async drained(withinMs: number): Promise<void> {
    await settlesWithin(withinMs, this.#peer.idle());
  }

  onRequest(request: IncomingRequest): unknown {
    if (this.#hasExpired)
      throw invalidRequest("The token of this connection has expired; connect with a new one.");
    const ready = this.#whenReady();
    if (ready !== undefined)
      return ready.then(() => (request.signal.aborted ? undefined : this.onRequest(request)));
    const { method, params } = request;
    if (hasProtocolVersion(params)) return this.#serveStateless(request);
    const row = methods.get(method);
    if (row?.opens) return this.#initialize(request);
    if (this.#session) return this.#serveInSession(request, this.#session);
    const answers = row?.answersBeforeOpening;
    // A stateless request that names no revision is refused as such.
    if (!answers && (describesSender(params) || this.#needsRevision(method)))
      return this.#serveStateless(request);
    this.#countOther();
    if (answers) return {};
    throw invalidRequest(`${method} came before initialize; open the session first.`);
  }

  onNotification(method: string, params: JsonObject): void {
    if (method === "notifications/initialized") this.#onInitialized();
    if (!this.#service.listensTo(method)) {
      const revision = this.#session?.revision.version;
      observeReceived(this.#service.telemetry, { method, params, revision, from: this.#context });
      this.onUnusable();
    } else if (!this.#hasExpired) void this.#notifyListeners(method, params);
  }

  /** The client may say it before `initialize` is answered, which waits for the service. */
  #onInitialized(): void {
    const ready = this.#whenReady();
    // The request gets the error of a service that can't be used.
    if (ready !== undefined) ready.then(() => this.#onInitialized()).catch(() => {});
    else if (this.#session) this.#context.initialized.mark();
  }

  /** Settles when the service can be used. The messages that wait share one promise, so none overtakes another. */
  #whenReady(): Promise<void> | undefined {
    if (this.#service.ready !== undefined) this.#readying ??= this.#untilReady();
    return this.#readying;
  }

  /** More may become pending while one waits. */
  async #untilReady(): Promise<void> {
    try {
      while (this.#service.ready !== undefined) await this.#service.ready;
    } finally {
      this.#readying = undefined;
    }
  }

  #sendNotification(method: string, params: JsonObject): Promise<void> {
    const revision = this.#session?.revision.version;
    return observeSending(this.#service.telemetry, { method, params, revision }, (sent) =>
      this.#peer.notify(method, sent),
    );
  }

  /** A flood is dropped without an answer, as notifications have none, and must not flood the log. */
  async #notifyListeners(method: string, params: JsonObject): Promise<void> {
    if (this.#runningListeners >= this.#maxCalls) {
      const problem = new Error(`Listeners of ${this.#maxCalls} notifications are running.`);
      if (this.#dropReports.isDue()) this.#service.report(`${method} was dropped`, problem);
      return;
    }
    const { principal, address, http } = this.#context;
    this.#runningListeners++;
    await this.#service.notify(method, params, { principal, address, http, session: this.#session });
    this.#runningListeners--;
  }

  /** Counts a message that starts nothing, and cuts off a client that sends too many of them. */
  onUnusable(): void {
    const refusal = this.#service.countOther?.(this.#context);
    if (refusal) void this.#peer.close(refusal);
  }

  onProblem(problem: Error): void {
    this.#service.report("A message could not be used", problem);
  }

  onClose(reason: Error): void {
    this.#unsubscribe();
    if (this.#session) endSession(this.#session, reason);
    this.#resolveClosed();
  }

  /** Loaded when needed: few servers want pings. */
  async #startPings(options: PingOptions): Promise<void> {
    const { Pings } = await import("./pings.ts");
    const pings = new Pings(options, {
      ping: (ms) => this.#ping(ms),
      onProblem: (problem) => this.#service.report("The client does not answer", problem),
      close: (reason) => {
        this.#service.report("A connection was closed", reason);
        return this.#peer.close(reason);
      },
    });
    void this.#closed.then(() => pings.stop());
  }

  /** Only a session may be pinged, and only once it is ready: basic/lifecycle#initialization (2025-11-25). */
  #ping(ms: number): Promise<unknown> | undefined {
    if (!this.#context.initialized.isDone || !this.#session?.revision.methods.has("ping")) return undefined;
    return this.#peer.request("ping", {}, { timeout: { idle: ms, total: ms }, suppressCancel: true });
  }

  /** Opens a session. One that is open ends: a gateway may lead one client after another over the same pipe. */
  #initialize({ id, params }: IncomingRequest): JsonObject {
    this.#countOther();
    const session = this.#service.openSession(params, this.#context);
    if (this.#session) this.#endSession(this.#session, id);
    this.#session = session;
    this.#context = { ...this.#context, initialized: new Initialized() };
    this.#onSessionChanged?.(session);
    return this.#service.initializeResult(session, this.#context.principal);
  }

  /** Counts a request that the service does not handle as a call; throws when the client sent too many. */
  #countOther(): void {
    const refusal = this.#service.countOther?.(this.#context);
    if (refusal) throw refusal;
  }

  /** Ends a session and its calls, but not those that name their own revision. */
  #endSession(session: Session, openedBy: RequestId): void {
    endSession(session);
    const isOfSession = ({ id, params }: IncomingRequest) => id !== openedBy && !hasProtocolVersion(params);
    this.#peer.endCalls(
      new RpcError(WireCode.internal, "The session ended with a new initialize."),
      isOfSession,
    );
  }

  #serveInSession(request: IncomingRequest, session: Session): unknown {
    const answering = this.#dispatch(new PipeCall(request, this.#context, session, session));
    const onChanged = this.#onSessionChanged;
    if (onChanged === undefined || !methods.get(request.method)?.changesSession) return answering;
    if (answering instanceof Promise) return answering.finally(() => onChanged(session));
    onChanged(session);
    return answering;
  }

  #serveStateless(request: IncomingRequest): unknown {
    return this.#dispatch(new PipeCall(request, this.#context, this.#readCaller(request.params)));
  }

  #readCaller(params: JsonObject): CallingClient {
    try {
      return this.#service.readCaller(params);
    } catch (error) {
      this.#countOther();
      throw error;
    }
  }

  #dispatch(call: PipeCall): unknown {
    const row = methods.get(call.method);
    return row?.answersWhenBusy ? this.#start(call) : this.#queueOf(call).add(call, this.#start);
  }

  #queueOf({ method }: PipeCall): CallQueue {
    return methods.get(method)?.listens ? this.#listening : this.#calls;
  }

  /**
   * Starts a call; its response leaves a turn after its last progress where the pipe coalesces writes.
   *
   * Some clients lose progress that they read in one piece with the response.
   */
  readonly #start = (call: PipeCall): unknown => {
    const handling = this.#service.handle(call);
    return handling instanceof Promise || call.hasSentProgress ? this.#runUntil(handling, call) : handling;
  };

  async #runUntil(handling: unknown, call: PipeCall): Promise<unknown> {
    const queue = this.#queueOf(call);
    queue.begin();
    try {
      return await handling;
    } finally {
      queue.end();
      if (call.hasSentProgress && this.#pipe.coalescesWrites) await nextTurn();
    }
  }

  /** Returns whether a method exists only in revisions that each request names, or only such revisions are served. */
  #needsRevision(method: string): boolean {
    const { supported } = this.#service;
    const sessions = supported.opening("handshake");
    if (sessions.length === 0) return true;
    const stateless = supported.opening("each-request");
    const knows = (revision: (typeof stateless)[number]) => revision.methods.has(method);
    return stateless.some(knows) && !sessions.some(knows);
  }

  /** Notifies the session of an event that it subscribed to. Callers without a session use `subscriptions/listen`. */
  #onEvent(event: ServerEvent): void {
    const session = this.#session;
    if (session === undefined || !this.#context.initialized.isDone || !isSubscribed(event, session)) return;
    if (event.kind === "elicitation") session.pendingElicitations?.delete(event.id);
    this.#notifier.notify(event);
  }
}

/** Serves a server value at one end of a pipe. */
export function servePipe(server: Servable, pipe: Pipe, options?: ServerConnectionOptions): ServerConnection {
  return new ServerConnection(serviceOf("servePipe", server), pipe, options);
}
