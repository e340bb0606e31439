import type { Attributes, Context, Histogram, Link, SpanKind, Tracer } from "@opentelemetry/api";
import type { Call } from "../contract/call.ts";
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import type {
  Destination,
  ReceivedNotification,
  ReceivedRequest,
  SentRequest,
  Telemetry,
} from "../contract/telemetry.ts";
import { UsageError } from "../errors.ts";
import { attempt, type MaybePromise } from "../lib/async/maybe-promise.ts";
import { isObject, type JsonObject, type JsonText } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";
import type { RequestId } from "../protocol/message.ts";
import { methods } from "../protocol/method-table.ts";
import {
  type Described,
  describeRequest,
  KnownNames,
  toNetwork,
  toRequestId,
  toServer,
  toSessionId,
} from "./attributes.ts";
import {
  cancelledFailure,
  failureOf,
  type SpanFailure,
  toolFailure,
  toSessionFailure,
  toSpanFailure,
} from "./failure.ts";
import { FewValues } from "./few-values.ts";
import type { OtelApi } from "./otel-api.ts";
import { readTraceContext, withTraceContext } from "./trace-context.ts";

export type { OtelApi } from "./otel-api.ts";

export interface OtelOptions {
  /**
   * Continues the traces of callers. Default true.
   *
   * With `false` a call begins a trace of its own with a link to that of its caller, so that strangers decide
   * neither on ids nor on what is sampled.
   */
  readonly continueTraces?: boolean | undefined;
}

const otelOptionKinds: OptionKinds<OtelOptions> = { continueTraces: "boolean" };

/**
 * Spans and metrics by the semantic conventions of OpenTelemetry for MCP, for the option `telemetry` of a server or a client.
 *
 * `api` is the package `@opentelemetry/api`: `import * as api from "@opentelemetry/api"`.
 */
export function otel(api: OtelApi, options: OtelOptions = {}): Telemetry {
  if (!isOtelApi(api))
    throw new UsageError(
      `otel takes the package @opentelemetry/api, not ${describeValue(api)}: import * as api from "@opentelemetry/api".`,
    );
  assertOptions("otel", options, otelOptionKinds);
  return new Otel(api, options);
}

function isOtelApi(given: unknown): boolean {
  const parts = ["context", "createContextKey", "metrics", "propagation", "trace"];
  return isObject(given) && parts.every((part) => part in given);
}

interface Operation extends Described {
  readonly kind: SpanKind;
  readonly parent: Context;
  readonly links?: readonly Link[];
  readonly duration?: Histogram | undefined;
}

/** The context of the first request of an operation that was begun outside of any span. */
interface Joined {
  first: Context | undefined;
}

/** The bounds that the conventions advise, in seconds. */
const explicitBucketBoundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** The codes of errors that metrics distinguish. */
const maxErrorTypes = 100;

class Otel implements Telemetry {
  readonly #api: OtelApi;
  readonly #continueTraces: boolean;
  readonly #tracer: Tracer;
  readonly #durations: {
    readonly client: Histogram;
    readonly server: Histogram;
    readonly clientSession: Histogram;
    readonly serverSession: Histogram;
  };
  readonly #joined: symbol;
  /** Names of this server, and of what is mounted in it. */
  readonly #served = new KnownNames();
  /** Names that a client calls, which a gateway may have from strangers. */
  readonly #sent = new KnownNames();
  readonly #errorTypes = new FewValues(maxErrorTypes);

  constructor(api: OtelApi, { continueTraces = true }: OtelOptions) {
    this.#api = api;
    this.#continueTraces = continueTraces;
    this.#tracer = api.trace.getTracer("allspeak");
    this.#joined = api.createContextKey("allspeak.joined");
    const meter = api.metrics.getMeter("allspeak");
    const toHistogram = (name: string) =>
      meter.createHistogram(name, { unit: "s", advice: { explicitBucketBoundaries } });
    this.#durations = {
      client: toHistogram("mcp.client.operation.duration"),
      server: toHistogram("mcp.server.operation.duration"),
      clientSession: toHistogram("mcp.client.session.duration"),
      serverSession: toHistogram("mcp.server.session.duration"),
    };
  }

  serve(
    call: Call,
    isKnown: boolean,
    answer: (ask: Call["ask"], notify: Call["notify"]) => MaybePromise<JsonText>,
  ): MaybePromise<JsonText> {
    const { method, params, session, address } = call;
    const revision = call.revision.version;
    const notify: Call["notify"] = (name, sent) =>
      this.notify({ method: name, params: sent, revision }, (traced) => call.notify(name, traced));
    // A span that is open for days shows nothing.
    if (methods.get(method)?.listens) return answer((...given) => call.ask(...given), notify);
    const described = describeRequest({ method, params, revision, isKnown }, this.#served);
    const operation = {
      ...this.#toInbound(params),
      ...described,
      attributes: { ...described.attributes, ...toNetwork(call) },
      details: {
        ...described.details,
        ...toRequestId(call.id),
        ...(session && toSessionId(session.id)),
        ...(address !== undefined && { "client.address": address }),
      },
    };
    return this.#observe(
      operation,
      () => answer((asked, question, options) => this.#ask(call, asked, question, options), notify),
      (result) => (call.signal.aborted ? cancelledFailure : failureOf(result)),
    );
  }

  open<T>(params: JsonObject, origin: Pick<Call, "address" | "http">, open: () => T): T {
    const described = describeRequest({ method: "initialize", params, isKnown: true }, this.#served);
    const attributes = { ...described.attributes, ...toNetwork(origin) };
    const operation = { ...described, attributes, ...this.#toInbound(params) };
    return this.#observe<T>(operation, open) as T;
  }

  serveSession(revision: string, origin: Pick<Call, "address" | "http">): (error: Error | undefined) => void {
    const attributes = { "mcp.protocol.version": revision, ...toNetwork(origin) };
    return this.#measureSession(this.#durations.serverSession, attributes);
  }

  runTask(call: Call, run: () => MaybePromise<JsonObject>): MaybePromise<JsonObject> {
    const { method, params, revision } = call;
    const described = describeRequest(
      { method, params, revision: revision.version, isKnown: true },
      this.#served,
    );
    const operation = {
      ...described,
      ...this.#toInbound(params),
      name: described.name.replace(method, "execute_tool"),
      kind: this.#api.SpanKind.INTERNAL,
      duration: undefined,
    };
    return this.#observe(operation, run, (result) =>
      call.signal.aborted ? cancelledFailure : failureOf(result),
    );
  }

  join<T>(run: () => Promise<T>): Promise<T> {
    const { context, trace } = this.#api;
    const active = context.active();
    if (trace.getSpan(active) || active.getValue(this.#joined)) return run();
    const joined: Joined = { first: undefined };
    return context.with(active.setValue(this.#joined, joined), run);
  }

  async send(
    { method, params, revision, to }: SentRequest,
    send: (params: JsonObject, onId: (id: RequestId) => void) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { context, trace, SpanKind } = this.#api;
    const active = context.active();
    const joined = active.getValue(this.#joined) as Joined | undefined;
    const parent = trace.getSpan(active) ? active : (joined?.first ?? active);
    const described = describeRequest({ method, params, revision, isKnown: undefined }, this.#sent);
    const attributes = { ...described.attributes, ...(to && toServer(to)) };
    const operation = {
      ...described,
      attributes,
      parent,
      kind: SpanKind.CLIENT,
      duration: this.#durations.client,
    };
    return this.#observe(
      operation,
      (within) => {
        if (joined) joined.first ??= within;
        const onId = (id: RequestId) => void trace.getSpan(within)?.setAttributes(toRequestId(id));
        return send(withTraceContext(this.#api, within, params), onId);
      },
      failureOf,
    );
  }

  async receive<T>({ method, params, id, revision }: ReceivedRequest, answer: () => Promise<T>): Promise<T> {
    const described = describeRequest(
      { method, params, revision, isKnown: methods.has(method) },
      this.#served,
    );
    const operation = { ...described, ...this.#toInbound(params), details: toRequestId(id) };
    return this.#observe(operation, answer);
  }

  async notify(
    { method, params, revision, to }: SentRequest,
    send: (params: JsonObject) => Promise<void>,
  ): Promise<void> {
    if (methods.get(method)?.ofRequest) return send(params);
    const { context, SpanKind } = this.#api;
    // Nothing answers a notification, and this side chose its name.
    const described = describeRequest({ method, params, revision, isKnown: true }, this.#sent);
    const operation = {
      ...described,
      attributes: { ...described.attributes, ...(to && toServer(to)) },
      parent: context.active(),
      kind: SpanKind.CLIENT,
      duration: this.#durations.client,
    };
    return this.#observe(operation, (within) => send(withTraceContext(this.#api, within, params)));
  }

  onNotification<T>(
    { method, params, revision, from, hasListener }: ReceivedNotification,
    run: () => MaybePromise<T>,
  ): MaybePromise<T> {
    if (methods.get(method)?.ofRequest) return run();
    const described = describeRequest(
      { method, params, revision, isKnown: hasListener === true },
      this.#served,
    );
    const attributes = { ...described.attributes, ...(from && toNetwork(from)) };
    return this.#observe({ ...described, attributes, ...this.#toInbound(params) }, run);
  }

  connect(revision: string, to: Destination, closed: Promise<Error>): void {
    const attributes = { "mcp.protocol.version": revision, ...toServer(to) };
    void closed.then(this.#measureSession(this.#durations.clientSession, attributes));
  }

  #measureSession(duration: Histogram, attributes: Attributes): (reason: Error | undefined) => void {
    const start = performance.now();
    return (reason) => {
      const failure = toSessionFailure(reason);
      duration.record(secondsSince(start), { ...attributes, ...this.#toFew(failure?.attributes) });
    };
  }

  /** Sends a question of a server, in the span of the call that asks. */
  #ask(call: Call, ...[method, params, options]: Parameters<Call["ask"]>): Promise<JsonObject> {
    const { version } = call.revision;
    return this.send({ method, params, revision: version }, (traced, onId) =>
      call.ask(method, traced, { ...options, onId }),
    );
  }

  /** The parent and the links of a request that came in. The span around us may be that of the HTTP request. */
  #toInbound(params: JsonObject): Pick<Operation, "kind" | "parent" | "links" | "duration"> {
    const { context, trace, SpanKind } = this.#api;
    const active = context.active();
    const carried = readTraceContext(this.#api, active, params);
    const [parent, linked] = this.#continueTraces ? [carried, active] : [active, carried];
    const other = trace.getSpanContext(linked);
    const isOther = other?.spanId !== trace.getSpanContext(parent)?.spanId;
    return {
      kind: SpanKind.SERVER,
      parent,
      links: other && isOther ? [{ context: other }] : [],
      duration: this.#durations.server,
    };
  }

  /** The attributes of a failure for metrics: a peer sends any code. */
  #toFew(attributes: Attributes = {}): Attributes {
    const few = Object.entries(attributes).map(([name, value]) => [name, this.#errorTypes.of(String(value))]);
    return Object.fromEntries(few);
  }

  /** Runs work within a span, and measures it. */
  #observe<T>(
    { name, attributes, details, proven, kind, parent, links = [], duration }: Operation,
    work: (within: Context) => MaybePromise<T>,
    toFailed: (result: T) => SpanFailure | undefined = () => undefined,
  ): MaybePromise<T> {
    const { context, trace, SpanStatusCode } = this.#api;
    const start = performance.now();
    const options = { kind, attributes: { ...attributes, ...details }, links: [...links] };
    const span = this.#tracer.startSpan(name, options, parent);
    const within = trace.setSpan(parent, span);
    const end = (failure?: SpanFailure) => {
      if (failure) {
        const { message } = failure;
        span.setAttributes(failure.attributes);
        span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
      }
      // An error of the protocol may mean that there is no such tool.
      const hasFailed = failure === toolFailure;
      span.end();
      duration?.record(
        secondsSince(start),
        {
          ...attributes,
          ...((failure === undefined || hasFailed) && proven?.(hasFailed)),
          ...this.#toFew(failure?.attributes),
        } satisfies Attributes,
        within,
      );
    };
    return attempt(
      () => context.with(within, () => work(within)),
      (result) => {
        end(toFailed(result));
        return result;
      },
      (error) => {
        end(toSpanFailure(error));
        throw error;
      },
    );
  }
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
