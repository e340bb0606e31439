import type { Service } from "../../../contract/service.ts";
import { readDebugOption } from "../../../debug/debug-log.ts";
import { OverloadedError } from "../../../errors.ts";
import { HostCheck } from "../../../guard/host-check.ts";
import { LazyAbortController } from "../../../lib/async/abort.ts";
import { andThen } from "../../../lib/async/maybe-promise.ts";
import { OnDemand } from "../../../lib/async/on-demand.ts";
import { Throttle } from "../../../lib/async/throttle.ts";
import { assertState, type State } from "../../../state/state.ts";
import { type AdmittedRequest, HttpAdmission } from "./admission/admission.ts";
import { withCors } from "./admission/cors.ts";
import { RefusalLog } from "./admission/refusal-log.ts";
import { Refuser } from "./admission/refuser.ts";
import { createContext, type EndpointContext } from "./endpoint-context.ts";
import type { EndpointState } from "./endpoint-state.ts";
import { sendClosingError, sendRpcError, toPublicRpcError } from "./error-response.ts";
import type { HttpReply, HttpRequest } from "./http-interface.ts";
import { type HttpOptions, type HttpSettings, toHttpSettings } from "./http-options.ts";
import { OpenRequests } from "./open-requests.ts";
import { type BodyLimits, toBodyLimits } from "./request/body-limits.ts";
import { toEndpointRoutes } from "./routing/endpoint-routes.ts";
import { type HttpRoute, type RouteOutcome, RouteTable } from "./routing/routes.ts";
import type { SharedNode } from "./shared-node.ts";

/** The one way in for every HTTP entry: admission, then the route. Independent of the platform. */
export class HttpEndpoint {
  readonly #settings: HttpSettings;
  readonly #hosts: HostCheck;
  readonly #publicUrl: string | undefined;
  readonly #context: EndpointContext;
  readonly #admission: HttpAdmission;
  readonly #sessions = new OnDemand(async () => {
    const { SessionEndpoint } = await import("./session/session-endpoint.ts");
    return new SessionEndpoint(this.#context, (await this.#joinNodes())?.node);
  });
  readonly #sse2024 = new OnDemand(async () => {
    const { HttpSse2024Endpoint } = await import("./http-sse-2024.ts");
    const context = { ...this.#context, service: await this.limitedService() };
    const { sse = { messagesPath: "", messagesUrl: undefined } } = this.#settings;
    return new HttpSse2024Endpoint(context, sse, await this.#joinNodes());
  });
  readonly #routes: RouteTable;
  readonly #requests: OpenRequests;
  readonly #refuser: Refuser;
  readonly #overloadLog = new Throttle(10_000);
  readonly #closing = new LazyAbortController();
  /** Writes what goes over the wire, where that is shown. */
  readonly #show: ((line: string) => void) | undefined;
  /** The state that was given, once it is open; requests wait for it. Undefined where none was given. */
  readonly opened: Promise<EndpointState> | undefined;
  #state: State | undefined;
  #closed = false;

  constructor(service: Service, options: HttpOptions = {}) {
    this.#hosts = new HostCheck(options);
    this.#publicUrl = options.publicUrl;
    this.#settings = toHttpSettings(options);
    this.#show = readDebugOption(options.debug);
    const report = (message: string, cause: unknown) => service.report(message, cause);
    const refusals = new RefusalLog((message) => report(message, undefined));
    this.#refuser = new Refuser(this.#hosts, this.#settings, refusals);
    for (const warning of this.#hosts.warnings) report(warning, undefined);
    const bodyLimits = toBodyLimits(this.#settings);
    this.#requests = new OpenRequests(bodyLimits, this.#reportFailure);
    this.#context = createContext(options, this.#settings, {
      service,
      state: () => this.#state,
      opened: () => this.opened,
      bodyLimits,
      closing: this.#closing,
      requests: this.#requests,
    });
    const { authenticator, callLimits } = this.#context;
    this.#admission = new HttpAdmission({
      hosts: this.#hosts,
      authenticator,
      limits: callLimits,
      settings: this.#settings,
      refusals,
      report,
    });
    const parts = {
      context: this.#context,
      admission: this.#admission,
      sessions: this.#sessions,
      sse2024: this.#sse2024,
    };
    this.#routes = new RouteTable(toEndpointRoutes(parts, this.#settings), this.#settings);
    this.opened = options.state && this.#open(options.state);
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
      this.#refuser.logMiss(http, "is left to the next handler");
    return true;
  }

  /** The service for two-way connections, within the limits. Loaded on demand: most servers have no such connections. */
  async limitedService(): Promise<Service> {
    const { service, callLimits } = this.#context;
    if (callLimits === undefined) return service;
    const { limitService } = await import("../../../guard/limited-service.ts");
    return limitService(service, callLimits);
  }

  /** The room for input that has begun to arrive, and for output that waits for its readers, over any connection. */
  get bodyLimits(): BodyLimits {
    return this.#context.bodyLimits;
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

  #answer(http: HttpRequest, plain: HttpReply): void {
    const reply = withCors(http, plain, this.#hosts);
    this.#requests.answer(reply, () => {
      const { ready } = this.#context.service;
      const opening = this.#state ? undefined : this.opened;
      if (ready === undefined && opening === undefined) return this.#route(http, reply);
      return Promise.all([ready, opening]).then(() => this.#route(http, reply));
    });
  }

  /**
   * Admits a request that wants to open a two-way connection at the endpoint. One that may not is
   * answered here, by the same checks as all others. Never rejects.
   */
  async admit(http: HttpRequest, reply: HttpReply): Promise<AdmittedRequest | undefined> {
    try {
      const refusal = this.#admission.hostRefusal(http);
      if (refusal) await this.#refuser.refuseHost(http, reply, refusal);
      else if (this.#closing.aborted) sendClosingError(reply);
      else if (http.path !== this.#settings.path) await this.#refuser.sendNotFound(http, reply);
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
    await (await this.opened)?.shared?.close();
  }

  async #closeSse2024(drainMs: number): Promise<void> {
    await (await this.#sse2024.used)?.close(drainMs);
  }

  #route(http: HttpRequest, reply: HttpReply): RouteOutcome {
    if (this.#isForPerson(http)) return this.#sendPage(http, reply);
    const refusal = this.#admission.hostRefusal(http);
    if (refusal) return this.#refuser.refuseHost(http, reply, refusal);
    if (http.method === "OPTIONS") return reply.send(204, {});
    const routes = this.#routes.find(http.path);
    if (routes === undefined) return this.#refuser.sendNotFound(http, reply);
    const { access, methods } = routes;
    const handle = methods.get(http.method);
    if (access === "anybody" && handle) return handle(this.#admission.admitAnonymous(http, reply));
    if (handle === undefined && (access === "anybody" || this.#context.authenticator === undefined))
      return this.#refuser.sendMethodError(http, reply, methods);
    if (this.#closing.aborted && !this.#mayFinish(http)) return sendClosingError(reply);
    return andThen(this.#admission.admit(http, reply), (admitted) => {
      if (admitted === undefined) return undefined;
      reply.countUnread?.(this.#context.bodyLimits, admitted);
      return handle ? handle(admitted) : this.#refuser.sendMethodError(http, admitted.reply, methods);
    });
  }

  /** True if a person has opened the endpoint in a browser, be it by a link of another site. */
  #isForPerson(http: HttpRequest): boolean {
    const { path, sse } = this.#settings;
    if (http.method !== "GET" || (http.path !== path && http.path !== sse?.path)) return false;
    if (http.header("mcp-session-id") !== undefined) return false;
    const accept = http.header("accept") ?? "";
    const isFromBrowser = accept.includes("text/html") && !accept.includes("text/event-stream");
    return isFromBrowser && this.#hosts.hostRefusal(http) === undefined;
  }

  async #sendPage(http: HttpRequest, reply: HttpReply): Promise<void> {
    const { service, authenticator } = this.#context;
    const name = authenticator === undefined ? service.name : undefined;
    const address = this.#publicUrl ?? http.prefix + this.#settings.path;
    // Loaded on demand: hardly any request needs it.
    const { sendServerPage } = await import("./routing/server-page.ts");
    sendServerPage(reply, { name, address });
  }

  /** True if a request may belong to a running call, so that it is let in while the server closes. */
  #mayFinish(http: HttpRequest): boolean {
    return !this.#closed && (http.method === "POST" || http.header("last-event-id") !== undefined);
  }

  #open(given: State): Promise<EndpointState> {
    assertState(given);
    const opened = this.#load(given);
    // Each request waits for it, and reports its failure; without requests nobody may do so.
    opened.catch(() => {});
    return opened;
  }

  /** Loaded on demand: most servers have no state but that of their process. */
  async #load(given: State): Promise<EndpointState> {
    const { openEndpointState } = await import("./endpoint-state.ts");
    const opened = await openEndpointState(this.#context.service, given);
    this.#state = opened.state;
    return opened;
  }

  /** Begins to take messages of the nodes that share the state, where there are any. */
  async #joinNodes(): Promise<SharedNode | undefined> {
    const shared = (await this.opened)?.shared;
    shared?.node.start();
    return shared;
  }

  readonly #reportFailure: OpenRequests["fail"] = (reply, error, id) => {
    // A store that is away fails every request that needs it, and anybody can send them.
    if (!(error instanceof OverloadedError) || this.#overloadLog.isDue())
      this.#context.service.report("An HTTP request could not be answered", error);
    sendRpcError(reply, 500, toPublicRpcError(error), id);
  };
}
