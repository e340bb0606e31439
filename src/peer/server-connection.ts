import type { Session } from "../contract/call.ts";
import type { IncomingRequest, Receiver } from "../contract/channel.ts";
import type { Pipe } from "../contract/pipe.ts";
import type { Principal } from "../contract/principal.ts";
import { isSubscribed, type ServerEvent } from "../contract/server-event.ts";
import type { Servable, Service } from "../contract/service.ts";
import { RpcError, UsageError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { settlesWithin } from "../lib/wait-at-most.ts";
import { nextTurn } from "../lib/yield-turn.ts";
import { hasProtocolVersion } from "../protocol/meta.ts";
import { methods } from "../protocol/methods.ts";
import { invalidRequest, WireCode } from "../protocol/wire-error.ts";
import { ChangeNotifier } from "./change-notifier.ts";
import { Peer } from "./peer.ts";
import { type ConnectionContext, PipeCall } from "./pipe-call.ts";

export interface ServerConnectionOptions {
  /** Who is at the other end, where the pipe itself proves it. */
  readonly principal?: Principal | undefined;
  /** Where the other end is, as far as the transport knows. */
  readonly address?: string | undefined;
  /**
   * Calls that run at once, also those that were cancelled and go on; what is beyond is refused.
   *
   * Default 1,000: without a limit one client can have a server run out of memory.
   */
  readonly maxCalls?: number | undefined;
}

const defaultMaxCalls = 1_000;
const defaultDrainMs = 5000;
/** Pipes on which messages of one turn leave, or arrive, in one piece. */
const gatheringPipes: ReadonlySet<string> = new Set(["stdio", "socket", "websocket"]);

/**
 * One client at the other end of a pipe.
 *
 * A request that names its revision is served by itself; the others belong to the
 * session that `initialize` opened. Both may come over the same pipe.
 */
export class ServerConnection implements Receiver {
  readonly #service: Service;
  readonly #pipeKind: string;
  readonly #peer: Peer;
  readonly #maxCalls: number;
  readonly #closing = new AbortController();
  #line: ConnectionContext;
  readonly #notifier: ChangeNotifier;
  readonly #stopChanges: () => void;
  readonly #closed: Promise<void>;
  #resolveClosed: () => void = () => {};
  #session: Session | undefined;
  #ready = false;
  #running = 0;

  constructor(service: Service, pipe: Pipe, options: ServerConnectionOptions = {}) {
    const { principal, address, maxCalls = defaultMaxCalls } = options;
    if (!(maxCalls >= 1)) throw new UsageError(`maxCalls must be at least 1, not ${maxCalls}.`);
    this.#service = service;
    this.#maxCalls = maxCalls;
    this.#pipeKind = pipe.kind;
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#peer = new Peer(pipe, { receiver: this, side: "server", framing: () => this.#session?.revision });
    this.#line = { channel: this.#peer, principal, address, closing: this.#closing.signal };
    this.#notifier = new ChangeNotifier(
      (method, params) => this.#peer.notify(method, params),
      (problem) => this.onProblem(problem),
    );
    this.#stopChanges = service.onChange((event) => this.#onEvent(event));
    this.#peer.start();
  }

  /** Messages that come from now on are of somebody of whom more, or less, is proven than before. */
  updatePrincipal(principal: Principal | undefined): void {
    this.#line = { ...this.#line, principal };
  }

  /** Settles when the pipe is gone. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Lets calls come to their end, at most for `drainMs`, and closes the pipe. */
  async close(drainMs: number = defaultDrainMs): Promise<void> {
    this.#closing.abort();
    await this.drained(drainMs);
    await this.#peer.close();
  }

  /** Settles once every call has been answered, or the time is up. */
  async drained(withinMs: number): Promise<void> {
    await settlesWithin(withinMs, this.#peer.idle());
  }

  onRequest(inbound: IncomingRequest): unknown {
    const { method, params } = inbound;
    if (hasProtocolVersion(params)) return this.#serveAlone(inbound);
    const row = methods.get(method);
    if (row?.opens) return this.#initialize(params);
    if (this.#session) return this.#serveInSession(inbound, this.#session);
    if (row?.answersBeforeOpening) return {};
    if (this.#needsRevision(method)) return this.#serveAlone(inbound);
    throw invalidRequest(`${method} came before initialize; open the session first.`);
  }

  onNotification(method: string, params: JsonObject): void {
    const session = this.#session;
    if (method === "notifications/initialized" && session) this.#ready = true;
    const { principal, address } = this.#line;
    this.#service.notify(method, params, { principal, address, session });
  }

  onProblem(problem: Error): void {
    this.#service.report("A message could not be used", problem);
  }

  onClose(): void {
    this.#stopChanges();
    this.#resolveClosed();
  }

  #initialize(params: JsonObject): JsonObject {
    if (this.#session) throw invalidRequest("The session is open already.");
    this.#session = this.#service.openSession(params);
    return this.#service.initializeResult(this.#session);
  }

  #serveInSession(inbound: IncomingRequest, session: Session): unknown {
    return this.#dispatch(new PipeCall(inbound, this.#line, session, session));
  }

  #serveAlone(inbound: IncomingRequest): unknown {
    return this.#dispatch(new PipeCall(inbound, this.#line, this.#service.readCaller(inbound.params)));
  }

  /**
   * Some clients lose progress that they read in one piece with the answer it belongs to.
   * Where messages of one turn leave together, the answer therefore waits for the next.
   */
  async #dispatch(call: PipeCall): Promise<unknown> {
    if (this.#running >= this.#maxCalls && !methods.get(call.method)?.answersWhenBusy)
      throw tooManyCalls(this.#maxCalls);
    this.#running++;
    try {
      return await this.#service.handle(call);
    } finally {
      this.#running--;
      if (call.hasSentProgress && gatheringPipes.has(this.#pipeKind)) await nextTurn();
    }
  }

  /** Whether a method can only be meant for a revision in which requests name it, or nothing else is served. */
  #needsRevision(method: string): boolean {
    const { supported } = this.#service;
    const sessions = supported.opening("handshake");
    if (sessions.length === 0) return true;
    const alone = supported.opening("each-request");
    const knows = (revision: (typeof alone)[number]) => revision.methods.has(method);
    return alone.some(knows) && !sessions.some(knows);
  }

  /** Tells the session of a change, if it may hear of it. Callers without a session listen by a call of their own. */
  #onEvent(event: ServerEvent): void {
    const session = this.#session;
    if (session === undefined || !this.#ready || !isSubscribed(event, session)) return;
    if (event.kind === "elicitation") session.pendingElicitations.delete(event.id);
    this.#notifier.notify(event);
  }
}

function tooManyCalls(most: number): RpcError {
  const message = `Too many calls at once: ${most} are running in this conversation; wait for some to end.`;
  return new RpcError(WireCode.internal, message);
}

/** Serves a server value at one end of a pipe. */
export function servePipe(server: Servable, pipe: Pipe, options?: ServerConnectionOptions): ServerConnection {
  return new ServerConnection(server["~service"](), pipe, options);
}
