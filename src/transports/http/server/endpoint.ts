import type { Principal } from "../../../contract/principal.ts";
import type { Service } from "../../../contract/service.ts";
import { RpcError } from "../../../errors.ts";
import { CallLimits, type LimitOutcome } from "../../../guard/call-limits.ts";
import { readClientAddress } from "../../../guard/client-address.ts";
import type { FailedAttempts } from "../../../guard/failed-attempts.ts";
import { HostCheck } from "../../../guard/host-check.ts";
import { limitService } from "../../../guard/limited-service.ts";
import { Heartbeat } from "../../../lib/heartbeat.ts";
import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import { settlesWithin } from "../../../lib/wait-at-most.ts";
import {
  encodeFailure,
  type InvalidMessage,
  type ParsedMessage,
  type RequestId,
} from "../../../protocol/message.ts";
import { hasProtocolVersion } from "../../../protocol/meta.ts";
import { parseMessage } from "../../../protocol/parse.ts";
import { memoryState } from "../../../state/memory/memory-state.ts";
import { isJsonContentType, readAccept } from "./accept.ts";
import { createHttpAuthorization, type HttpAuthorization } from "./authorization.ts";
import { withCors } from "./cors.ts";
import type { AdmittedRequest, EndpointContext } from "./endpoint-context.ts";
import {
  jsonHeaders,
  mayContainRequest,
  sendClosingError,
  sendError,
  sendRpcError,
  toHttpStatus,
  toPublicRpcError,
} from "./error-response.ts";
import type { BodyText, HttpReply, HttpRequest } from "./http-interface.ts";
import { type HttpOptions, type HttpSettings, toHttpSettings } from "./http-options.ts";
import { HttpSse2024Endpoint } from "./http-sse-2024.ts";
import { type HttpRoute, type HttpRouteHandler, publicRoutes, RouteTable } from "./routes.ts";
import { SessionEndpoint } from "./session/session-endpoint.ts";
import { SessionTable } from "./session/session-table.ts";
import { SharedAbortControllers } from "./shared-abort-controllers.ts";
import { SharedDeadline } from "./shared-deadline.ts";
import { answerStatelessCall } from "./stateless-call.ts";

/** What is known of somebody who was let in. */
export interface AdmittedCaller {
  /** The one to answer by from then on, where it is another. */
  readonly reply?: HttpReply;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
}

const opening = { method: "initialize", params: {} };

/** The one way in for every HTTP entry: guard, routes, revisions. Knows no platform. */
export class HttpEndpoint {
  readonly #settings: HttpSettings;
  readonly #site: HostCheck;
  readonly #endpoint: EndpointContext;
  readonly #table: SessionTable;
  readonly #sessions: SessionEndpoint;
  readonly #twoEndpoints: HttpSse2024Endpoint;
  readonly #gate: HttpAuthorization | undefined;
  readonly #routes: RouteTable;
  readonly #limits: CallLimits | undefined;
  /** Whether any revision is served that opens by a handshake. */
  readonly #opensSessions: boolean;
  readonly #closing = new AbortController();
  readonly #idle: (() => void)[] = [];
  #active = 0;
  #closed = false;

  constructor(service: Service, options: HttpOptions = {}) {
    this.#site = new HostCheck(options);
    this.#settings = toHttpSettings(options);
    this.#opensSessions = service.supported.opening("handshake").length > 0;
    const { keepAliveMs, sessions, sse } = this.#settings;
    this.#gate = options.auth && createHttpAuthorization(options.auth, options, service);
    this.#endpoint = {
      service,
      state: options.state,
      sessions,
      limits: { ...this.#settings, bodyDeadline: new SharedDeadline(this.#settings.bodyMs) },
      heartbeat: new Heartbeat(keepAliveMs),
      closing: this.#closing.signal,
      closingControllers: new SharedAbortControllers(),
      calls: new Set(),
      authorization: this.#gate,
    };
    const { state = memoryState(), limits = {} } = options;
    const report = (message: string, cause: unknown) => service.report(message, cause);
    this.#limits = limits ? new CallLimits(limits, { counters: state.counters, report }) : undefined;
    this.#table = new SessionTable(service, state, sessions);
    this.#sessions = new SessionEndpoint(this.#endpoint, this.#table);
    this.#twoEndpoints = new HttpSse2024Endpoint(
      { ...this.#endpoint, service: this.service },
      sse?.messagesUrl ?? "",
    );
    this.#routes = new RouteTable(this.#toRows());
  }

  /** Everything that is served, and who may use it. */
  get routes(): readonly HttpRoute[] {
    return this.#routes.rows;
  }

  /** Who answers the calls of conversations, within the limits. */
  get service(): Service {
    const { service } = this.#endpoint;
    return this.#limits ? limitService(service, this.#limits) : service;
  }

  /** How long a reader that takes nothing is waited for. */
  get stallMs(): number {
    return this.#settings.stallMs;
  }

  /** Answers one request, in its own time. */
  handle(http: HttpRequest, plainReply: HttpReply): void {
    this.#active++;
    const reply = withCors(http, plainReply, this.#site);
    const onFailure = (error: unknown) => {
      this.#onFailure(reply, error);
      this.#leave();
    };
    void follow(() => this.#guarded(http, reply), this.#leave, onFailure);
  }

  readonly #leave = (): void => {
    if (--this.#active === 0 && this.#idle.length > 0) for (const resolve of this.#idle.splice(0)) resolve();
  };

  /**
   * Whether a request may open a two-way connection at the endpoint. One that may not is
   * answered here, by the same guard as all others. Never rejects.
   */
  async admit(http: HttpRequest, reply: HttpReply): Promise<AdmittedCaller | undefined> {
    try {
      if (this.#isRefused(http, reply)) return undefined;
      if (this.#closing.signal.aborted) sendClosingError(reply);
      else if (http.path !== this.#settings.path) sendError(reply, 404, "There is nothing here.");
      else {
        const admission = await this.#letIn(http, reply);
        return admission && (await this.#mayConverse(reply, admission)) ? admission : undefined;
      }
    } catch (error) {
      this.#onFailure(reply, error);
    }
    return undefined;
  }

  /** Takes no more requests, lets those under way finish for a while, and ends all streams. */
  async close(drainMs = 10_000): Promise<void> {
    this.#closing.abort();
    for (const call of this.#endpoint.calls) call.close();
    await Promise.all([this.#drained(drainMs), this.#twoEndpoints.close(drainMs)]);
    this.#closed = true;
    for (const call of this.#endpoint.calls) call.end();
    this.#table.close();
  }

  #guarded(http: HttpRequest, reply: HttpReply): Promise<void> | void {
    if (this.#isRefused(http, reply)) return;
    if (http.method === "OPTIONS") return reply.send(204, {});
    const place = this.#routes.find(http.path);
    if (place === undefined) return sendError(reply, 404, "There is nothing here.");
    const route = place.methods.get(http.method);
    if (place.access === "anybody")
      return route ? route({ http, reply, ...nobody }) : refuseMethod(reply, place.methods);
    if (route === undefined && this.#gate === undefined) return refuseMethod(reply, place.methods);
    if (this.#closing.signal.aborted && !this.#mayFinish(http)) return sendClosingError(reply);
    const visit = (admission: AdmittedCaller | undefined) => {
      if (admission === undefined) return;
      if (route === undefined) return refuseMethod(reply, place.methods);
      const { principal, address } = admission;
      return route({ http, reply: admission.reply ?? reply, principal, address });
    };
    const admitting = this.#letIn(http, reply);
    return admitting instanceof Promise ? admitting.then(visit) : visit(admitting);
  }

  /** Answers what may not come in at all; whether it did. */
  #isRefused(http: HttpRequest, reply: HttpReply): boolean {
    // Whoever watches over a server may know only its address, and health tells nothing of anybody.
    const isHealth = http.path === this.#settings.healthPath;
    const refusal = isHealth ? this.#site.originRefusal(http) : this.#site.refusal(http);
    if (refusal !== undefined) sendError(reply, 403, refusal);
    return refusal !== undefined;
  }

  /** Who calls; answers itself when that is nobody who may. A promise only where somebody has to find out. */
  #letIn(http: HttpRequest, reply: HttpReply): MaybePromise<AdmittedCaller | undefined> {
    const address = readClientAddress(http, this.#settings.trustProxy);
    if (!this.#gate && this.#settings.identify === undefined) return { principal: undefined, address };
    const refusal = this.#turnedAwayFor(http)?.refusal(address);
    if (refusal === undefined) return this.#identify(http, reply, address);
    sendRpcError(reply, toHttpStatus(refusal), refusal, null);
    return undefined;
  }

  async #identify(
    http: HttpRequest,
    reply: HttpReply,
    address: string | undefined,
  ): Promise<AdmittedCaller | undefined> {
    try {
      if (this.#gate === undefined) return { principal: await this.#settings.identify?.(http), address };
      const known = await this.#gate.authorize(http, reply);
      if (known === undefined) this.#turnedAwayFor(http)?.record(address);
      return known && { ...known, address };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.#turnedAwayFor(http)?.record(address);
      sendRpcError(reply, 403, error, null);
      return undefined;
    }
  }

  /** Behind a proxy that is not trusted all have one address, and one of them could lock out the others. */
  #turnedAwayFor(http: HttpRequest): FailedAttempts | undefined {
    const isShared = this.#settings.trustProxy === undefined && http.header("x-forwarded-for") !== undefined;
    return isShared ? undefined : this.#limits?.failedAttempts;
  }

  /** Whether a request may belong to a call that is under way, so that it is let in while the server closes. */
  #mayFinish(http: HttpRequest): boolean {
    return !this.#closed && (http.method === "POST" || http.header("last-event-id") !== undefined);
  }

  #onFailure(reply: HttpReply, error: unknown): void {
    this.#endpoint.service.report("An HTTP request could not be answered", error);
    sendRpcError(reply, 500, toPublicRpcError(error), null);
  }

  #toRows(): readonly HttpRoute[] {
    const { path, sse, healthPath } = this.#settings;
    const documents = [...(this.#gate?.documents ?? [])];
    const admitted = (method: string, at: string, answer: HttpRouteHandler): HttpRoute[] => [
      { method, path: at, access: "admitted", answer },
    ];
    return [
      ...(healthPath === undefined ? [] : publicRoutes(healthPath, ({ reply }) => this.#health(reply))),
      ...documents.flatMap(([at, text]) =>
        publicRoutes(at, ({ reply }) => reply.send(200, documentHeaders, text)),
      ),
      ...(this.#keepsSessions ? admitted("GET", path, (visitor) => this.#sessions.get(visitor)) : []),
      ...admitted("POST", path, (visitor) => this.#post(visitor)),
      ...(this.#keepsSessions ? admitted("DELETE", path, (visitor) => this.#sessions.delete(visitor)) : []),
      ...(sse && this.#opensSessions
        ? [
            ...admitted("GET", sse.path, (visitor) => this.#listen(visitor)),
            ...admitted("POST", sse.messagesPath, (visitor) => this.#twoEndpoints.post(visitor)),
          ]
        : []),
    ];
  }

  async #listen(visitor: AdmittedRequest): Promise<void> {
    if (await this.#mayConverse(visitor.reply, visitor)) this.#twoEndpoints.openStream(visitor);
  }

  #post(visitor: AdmittedRequest): Promise<void> | void {
    const { http, reply } = visitor;
    if (!isJsonContentType(http.header("content-type")))
      return sendError(reply, 415, "Content-Type must be application/json.");
    const accepts = readAccept(http.header("accept"));
    if (!accepts.json && !accepts.events) {
      return sendError(reply, 406, "Accept application/json, text/event-stream, or both.");
    }
    if (this.#refusesUnread(visitor)) return;
    return http.readText(this.#endpoint.limits).then((body) => this.#receive(visitor, body));
  }

  #receive(visitor: AdmittedRequest, body: BodyText): Promise<void> | void {
    const { reply } = visitor;
    if (!body.ok) return sendError(reply, body.status, body.problem);
    const incoming = parseMessage(body.text);
    if (incoming.kind === "invalid") {
      return reply.send(400, jsonHeaders, encodeFailure(incoming.id ?? null, incoming.error));
    }
    if (this.#closing.signal.aborted && mayContainRequest(incoming)) return sendClosingError(reply);
    if (this.#limits === undefined || !mayContainRequest(incoming)) return this.#answer(visitor, incoming);
    const entering = enter(this.#limits, visitor, incoming);
    if (!(entering instanceof Promise)) return this.#answerWithin(entering, visitor, incoming);
    return entering.then((entry) => this.#answerWithin(entry, visitor, incoming));
  }

  #answerWithin(
    entry: LimitOutcome,
    visitor: AdmittedRequest,
    incoming: Exclude<ParsedMessage, InvalidMessage>,
  ): Promise<void> | void {
    if (!entry.ok) return sendRpcError(visitor.reply, toHttpStatus(entry.error), entry.error, idOf(incoming));
    return follow(() => this.#answer(visitor, incoming), entry.release, failing(entry.release));
  }

  #answer(visitor: AdmittedRequest, incoming: Exclude<ParsedMessage, InvalidMessage>): Promise<void> | void {
    const { http, reply } = visitor;
    if (!this.#standsAlone(http, incoming)) return this.#sessions.post(visitor, incoming);
    if (incoming.kind === "request") return answerStatelessCall(this.#endpoint, visitor, incoming);
    if (incoming.kind === "notification") return reply.send(202, {});
    sendError(reply, 400, "Only requests and notifications can be posted in this revision.");
  }

  /**
   * Refuses without reading, since what arrives at a busy server must cost it little; whether it did.
   * What names a session is read: it may be an answer that a call under way waits for.
   */
  #refusesUnread({ http, reply, address }: AdmittedRequest): boolean {
    const error = this.#limits?.overloadError;
    if (error === undefined || http.header("mcp-session-id") !== undefined) return false;
    this.#limits?.reportUnreadRefusal(error, address);
    sendRpcError(reply, toHttpStatus(error), error, null);
    return true;
  }

  /** Opening a conversation counts as a call. Answers itself when there may be none. */
  async #mayConverse(reply: HttpReply, caller: AdmittedCaller): Promise<boolean> {
    const entry = await this.#limits?.acquire(opening, caller);
    if (entry?.ok) entry.release();
    else if (entry) sendRpcError(reply, toHttpStatus(entry.error), entry.error, null);
    return entry === undefined || entry.ok;
  }

  /** Whether a message is of a revision without sessions: it says so, in its metadata or in the header. */
  #standsAlone(http: HttpRequest, incoming: Exclude<ParsedMessage, InvalidMessage>): boolean {
    if (!this.#opensSessions) return true;
    if ("params" in incoming && hasProtocolVersion(incoming.params)) return true;
    const version = http.header("mcp-protocol-version");
    if (version === undefined) return false;
    return this.#endpoint.service.supported.find(version.trim())?.opening === "each-request";
  }

  get #keepsSessions(): boolean {
    return this.#opensSessions && !this.#settings.sessions.stateless;
  }

  #health(reply: HttpReply): void {
    const closing = this.#closing.signal.aborted;
    reply.send(closing ? 503 : 200, jsonHeaders, closing ? '{"status":"closing"}' : '{"status":"ok"}');
  }

  async #drained(withinMs: number): Promise<void> {
    if (this.#active > 0)
      await settlesWithin(withinMs, new Promise<void>((resolve) => this.#idle.push(resolve)));
  }
}

const documentHeaders = { ...jsonHeaders, "cache-control": "max-age=3600" };
const nobody: AdmittedCaller = { principal: undefined, address: undefined };

function refuseMethod(reply: HttpReply, methods: ReadonlyMap<string, HttpRouteHandler>): void {
  const allow = [...methods.keys()].join(", ");
  sendError(reply, 405, `Only ${allow} is allowed here.`, { allow });
}

function failing(leave: () => void): (error: unknown) => never {
  return (error) => {
    leave();
    throw error;
  };
}

/** What is done when something ends. It may last for days, so nothing waits for it that would take room. */
function follow(
  run: () => Promise<void> | void,
  onEnd: () => void,
  onFailure: (error: unknown) => void,
): Promise<void> | void {
  let running: Promise<void> | void;
  try {
    running = run();
  } catch (error) {
    return onFailure(error);
  }
  return running instanceof Promise ? running.then(onEnd, onFailure) : onEnd();
}

function enter(
  limits: CallLimits,
  visitor: AdmittedRequest,
  incoming: ParsedMessage,
): MaybePromise<LimitOutcome> {
  if (incoming.kind === "request") return limits.acquire(incoming, visitor);
  const messages = incoming.kind === "batch" ? incoming.messages : [];
  return limits.acquireAll(
    messages.filter((message) => message.kind === "request"),
    visitor,
  );
}

function idOf(incoming: ParsedMessage): RequestId | null {
  return incoming.kind === "request" ? incoming.id : null;
}
