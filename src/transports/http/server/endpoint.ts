import type { Service } from "../../../contract/service.ts";
import { readDebugOption } from "../../../debug/debug-log.ts";
import { CallLimits } from "../../../guard/call-limits.ts";
import { HostCheck } from "../../../guard/host-check.ts";
import { limitService } from "../../../guard/limited-service.ts";
import { LazyAbortController } from "../../../lib/async/abort.ts";
import { Heartbeat } from "../../../lib/async/heartbeat.ts";
import { OnDemand } from "../../../lib/async/on-demand.ts";
import type { FairBudget } from "../../../lib/bounded/fair-budget.ts";
import { scopeState } from "../../../state/scoped-state.ts";
import type { State } from "../../../state/state.ts";
import { withAvailability } from "../../../state/store-availability.ts";
import { type AdmittedRequest, HttpAdmission } from "./admission/admission.ts";
import { createHttpAuthorization } from "./admission/authorization.ts";
import { withCors } from "./admission/cors.ts";
import { RefusalLog } from "./admission/refusal-log.ts";
import { type EndpointContext, SharedAbortControllers } from "./endpoint-context.ts";
import { jsonHeaders, sendClosingError, sendRpcError, toPublicRpcError } from "./error-response.ts";
import type { HttpReply, HttpRequest } from "./http-interface.ts";
import { type HttpOptions, type HttpSettings, toHttpSettings } from "./http-options.ts";
import type { HttpSse2024Endpoint } from "./http-sse-2024.ts";
import { OpenRequests } from "./open-requests.ts";
import { isFromBrowser } from "./request/accept.ts";
import { type BodyLimits, createUnfinishedBudget, type UnfinishedInput } from "./request/body-limits.ts";
import { RequestRevision } from "./request/request-revision.ts";
import { describeEndpoint, sendMethodError, sendNotFound } from "./routing/route-error.ts";
import {
  admittedRoute,
  type HttpRoute,
  type HttpRouteHandler,
  publicRoutes,
  type RouteOutcome,
  RouteTable,
} from "./routing/routes.ts";
import type { SessionEndpoint } from "./session/session-endpoint.ts";
import { createWaitDeadline } from "./shared-deadline.ts";
import type { SharedNode } from "./shared-node.ts";
import { StreamableHttpEndpoint } from "./streamable-http.ts";

const documentHeaders = { ...jsonHeaders, "cache-control": "max-age=3600" };

/** The one way in for every HTTP entry: admission, then the route. Independent of the platform. */
export class HttpEndpoint {
  readonly #settings: HttpSettings;
  readonly #hosts: HostCheck;
  readonly #publicUrl: string | undefined;
  readonly #context: EndpointContext;
  readonly #admission: HttpAdmission;
  readonly #sessions: OnDemand<SessionEndpoint>;
  readonly #sse2024: OnDemand<HttpSse2024Endpoint>;
  readonly #routes: RouteTable;
  readonly #requests: OpenRequests;
  readonly #refusals: RefusalLog;
  readonly #closing = new LazyAbortController();
  /** Writes what goes over the wire, where that is shown. */
  readonly #show: ((line: string) => void) | undefined;
  /** This endpoint among all that share its state, once it is one of them; undefined where it is the only one. */
  readonly opened: Promise<SharedNode> | undefined;
  #closed = false;

  constructor(service: Service, given: HttpOptions = {}) {
    const options = given.state
      ? { ...given, state: scopeState(withAvailability(given.state), service.name) }
      : given;
    this.#hosts = new HostCheck(options);
    this.#publicUrl = options.publicUrl;
    this.#settings = toHttpSettings(options);
    this.#show = readDebugOption(options.debug);
    this.#refusals = new RefusalLog((message) => service.report(message, undefined));
    for (const warning of this.#hosts.warnings) service.report(warning, undefined);
    const report = (message: string, cause: unknown) => service.report(message, cause);
    const reports = { service, refusals: this.#refusals };
    const authorization = options.auth && createHttpAuthorization(options.auth, options, reports);
    const { state, limits = {} } = options;
    const callLimits = limits
      ? new CallLimits(limits, {
          counters: state?.counters,
          isShared: state?.isShared,
          name: service.name,
          report,
        })
      : undefined;
    const { keepAliveMs, ping, sessions, sse, path, publicPath } = this.#settings;
    this.opened = state?.isShared ? loadNode(service, state) : undefined;
    const bodyLimits = toBodyLimits(this.#settings);
    this.#requests = new OpenRequests(bodyLimits, this.#reportFailure);
    this.#context = {
      service,
      requestRevision: new RequestRevision(service.supported),
      state,
      authorization,
      callLimits,
      bodyLimits,
      sessions,
      heartbeat: new Heartbeat(keepAliveMs),
      ping,
      closing: this.#closing,
      closingControllers: new SharedAbortControllers(),
      requests: this.#requests,
      calls: new Set(),
    };
    this.#admission = new HttpAdmission({
      hosts: this.#hosts,
      authorization,
      limits: callLimits,
      settings: this.#settings,
      refusals: this.#refusals,
    });
    this.#sessions = new OnDemand(async () => {
      const { SessionEndpoint } = await import("./session/session-endpoint.ts");
      const shared = await this.opened;
      shared?.node.start();
      return new SessionEndpoint(this.#context, shared?.node);
    });
    this.#sse2024 = new OnDemand(async () => {
      const { HttpSse2024Endpoint } = await import("./http-sse-2024.ts");
      const shared = await this.opened;
      shared?.node.start();
      return new HttpSse2024Endpoint(
        { ...this.#context, service: this.service },
        sse ?? { messagesPath: "", messagesUrl: undefined },
        shared,
      );
    });
    this.#routes = new RouteTable(this.#toRoutes(), { path, publicPath });
  }

  /** All that is served, and to whom. */
  get routes(): readonly HttpRoute[] {
    return this.#routes.rows;
  }

  /** The path of the route for a request; undefined where nothing is served. */
  resolve(path: string, mountPath: string): string | undefined {
    return this.#routes.resolve(path, mountPath);
  }

  /** True if a router should leave a request to its next handler, because there is no route for it. */
  passesOn(http: HttpRequest): boolean {
    if (this.#routes.find(http.path) !== undefined) return false;
    // A client that posts messages has probably missed the endpoint, and the next handler can't explain that to it.
    if (http.method === "POST" && http.header("accept")?.includes("text/event-stream"))
      this.#logMiss(http, "is left to the next handler");
    return true;
  }

  /** The service for two-way connections, within the limits. */
  get service(): Service {
    const { service, callLimits } = this.#context;
    return callLimits ? limitService(service, callLimits) : service;
  }

  /** The room for input that has begun to arrive, over any connection. */
  get unfinished(): FairBudget<UnfinishedInput> {
    return this.#context.bodyLimits.unfinished;
  }

  /** The time after which a reader that takes nothing is cut. */
  get stallMs(): number {
    return this.#settings.stallMs;
  }

  /** Answers one request. */
  handle(http: HttpRequest, reply: HttpReply): void {
    const show = this.#show;
    if (show) this.#requests.answer(reply, () => this.#handleShown({ http, reply }, show));
    else this.#answer(http, reply);
  }

  /** Loaded when needed: hardly any server shows its messages. */
  async #handleShown(
    exchange: { http: HttpRequest; reply: HttpReply },
    show: (line: string) => void,
  ): Promise<void> {
    const { showExchange } = await import("./shown-exchange.ts");
    const { http, reply } = showExchange(exchange, show);
    this.#answer(http, reply);
  }

  #answer(http: HttpRequest, plainReply: HttpReply): void {
    const reply = withCors(http, plainReply, this.#hosts);
    const { ready } = this.#context.service;
    this.#requests.answer(
      reply,
      () => ready?.then(() => this.#route(http, reply)) ?? this.#route(http, reply),
    );
  }

  /**
   * Admits a request that wants to open a two-way connection at the endpoint. One that may not is
   * answered here, by the same checks as all others. Never rejects.
   */
  async admit(http: HttpRequest, reply: HttpReply): Promise<AdmittedRequest | undefined> {
    try {
      if (this.#admission.refusesHost(http, reply)) return undefined;
      if (this.#closing.aborted) sendClosingError(reply);
      else if (http.path !== this.#settings.path) this.#sendNotFound(http, reply);
      else {
        const admitted = await this.#admission.admit(http, reply);
        return admitted && (await this.#admission.mayConnect(admitted)) ? admitted : undefined;
      }
    } catch (error) {
      this.#reportFailure(reply, error);
    }
    return undefined;
  }

  /** Takes no more requests, lets running calls finish within `drainMs`, and ends all streams. */
  async close(drainMs = 10_000): Promise<void> {
    this.#closing.abort();
    for (const call of this.#context.calls) call.close();
    (await this.#sessions.used)?.leaveStreams();
    await Promise.all([this.#requests.drained(drainMs), this.#closeSse2024(drainMs)]);
    this.#closed = true;
    for (const call of this.#context.calls) call.end();
    (await this.#sessions.used)?.close();
    await (await this.opened)?.close();
  }

  async #closeSse2024(drainMs: number): Promise<void> {
    await (await this.#sse2024.used)?.close(drainMs);
  }

  #route(http: HttpRequest, reply: HttpReply): RouteOutcome {
    if (this.#isForPerson(http)) return this.#sendPage(http, reply);
    if (this.#admission.refusesHost(http, reply)) return;
    if (http.method === "OPTIONS") return reply.send(204, {});
    const routes = this.#routes.find(http.path);
    if (routes === undefined) return this.#sendNotFound(http, reply);
    const { access, methods } = routes;
    const handle = methods.get(http.method);
    if (access === "anybody" && handle) return handle(this.#admission.admitAnonymous(http, reply));
    if (handle === undefined && (access === "anybody" || this.#context.authorization === undefined))
      return sendMethodError(http, reply, methods, this.#settings);
    if (this.#closing.aborted && !this.#mayFinish(http)) return sendClosingError(reply);
    const admitting = this.#admission.admit(http, reply);
    if (!(admitting instanceof Promise)) return this.#handleAdmitted(admitting, handle, methods);
    return admitting.then((admitted) => this.#handleAdmitted(admitted, handle, methods));
  }

  #handleAdmitted(
    admitted: AdmittedRequest | undefined,
    handle: HttpRouteHandler | undefined,
    methods: ReadonlyMap<string, HttpRouteHandler>,
  ): RouteOutcome {
    if (admitted === undefined) return;
    if (handle) return handle(admitted);
    sendMethodError(admitted.http, admitted.reply, methods, this.#settings);
  }

  /** True if a person has opened the endpoint in a browser, be it by a link of another site. */
  #isForPerson(http: HttpRequest): boolean {
    const { path, sse } = this.#settings;
    if (http.method !== "GET" || (http.path !== path && http.path !== sse?.path)) return false;
    return isFromBrowser(http) && this.#hosts.hostRefusal(http) === undefined;
  }

  async #sendPage(http: HttpRequest, reply: HttpReply): Promise<void> {
    const { service, authorization } = this.#context;
    const name = authorization === undefined ? service.name : undefined;
    const address = this.#publicUrl ?? http.prefix + this.#settings.path;
    // Loaded on demand: hardly any request needs it.
    const { sendServerPage } = await import("./routing/server-page.ts");
    sendServerPage(reply, { name, address });
  }

  #sendNotFound(http: HttpRequest, reply: HttpReply): void {
    if (http.method === "POST") this.#logMiss(http, "was refused");
    sendNotFound(http, reply, this.#settings);
  }

  #logMiss(http: HttpRequest, outcome: string): void {
    this.#refusals.add("path", http, `${outcome}: ${describeEndpoint(http, this.#settings)}.`);
  }

  #toRoutes(): readonly HttpRoute[] {
    const { path, sse, healthPath } = this.#settings;
    const { authorization, sessions } = this.#context;
    const { opensSessions } = this.#context.requestRevision;
    const keepsSessions = opensSessions && !sessions.stateless;
    const streamableHttp = new StreamableHttpEndpoint(this.#context, this.#sessions);
    const sendDocument =
      (text: string): HttpRouteHandler =>
      ({ reply }) =>
        reply.send(200, documentHeaders, text);
    const documents = [...(authorization?.documents ?? [])];
    return [
      ...(healthPath === undefined ? [] : publicRoutes(healthPath, ({ reply }) => this.#sendHealth(reply))),
      ...documents.flatMap(([at, text]) => publicRoutes(at, sendDocument(text))),
      ...(keepsSessions
        ? [
            admittedRoute("GET", path, (admitted) =>
              this.#counted(
                admitted,
                this.#sessions.use((part) => part.get(admitted)),
              ),
            ),
          ]
        : []),
      admittedRoute("POST", path, (admitted) => streamableHttp.post(admitted)),
      ...(keepsSessions
        ? [
            admittedRoute("DELETE", path, (admitted) =>
              this.#counted(
                admitted,
                this.#sessions.use((part) => part.delete(admitted)),
              ),
            ),
          ]
        : []),
      ...(opensSessions && sse
        ? [
            admittedRoute("GET", sse.path, (admitted) => this.#openSse2024(admitted)),
            admittedRoute("POST", sse.messagesPath, (admitted) =>
              this.#sse2024.use((part) => part.post(admitted)),
            ),
          ]
        : []),
    ];
  }

  /** Counts a request that starts no call. */
  #counted<T>(admitted: AdmittedRequest, answering: T): T {
    this.#context.callLimits?.countOther(admitted);
    return answering;
  }

  async #openSse2024(admitted: AdmittedRequest): Promise<void> {
    if (await this.#admission.mayConnect(admitted))
      await this.#sse2024.use((part) => part.openStream(admitted));
  }

  #sendHealth(reply: HttpReply): void {
    const closing = this.#closing.aborted;
    reply.send(closing ? 503 : 200, jsonHeaders, closing ? '{"status":"closing"}' : '{"status":"ok"}');
  }

  /** True if a request may belong to a running call, so that it is let in while the server closes. */
  #mayFinish(http: HttpRequest): boolean {
    return !this.#closed && (http.method === "POST" || http.header("last-event-id") !== undefined);
  }

  readonly #reportFailure = (reply: HttpReply, error: unknown): void => {
    this.#context.service.report("An HTTP request could not be answered", error);
    sendRpcError(reply, 500, toPublicRpcError(error));
  };
}

function toBodyLimits(settings: HttpSettings): BodyLimits {
  return {
    ...settings,
    bodyDeadline: createWaitDeadline(settings.bodyMs),
    unfinished: createUnfinishedBudget(settings.maxUnfinishedBytes),
  };
}

/** Loaded on demand: without other nodes there is nothing to share. */
async function loadNode(service: Service, state: State): Promise<SharedNode> {
  const { openNode } = await import("./shared-node.ts");
  return openNode(service, state);
}
