import { setMaxListeners } from "node:events";
import type { AuthHop } from "allspeak/auth";
import { type Client, type ConnectOptions, connect, type Target } from "allspeak/client";
import { NegotiationRecorder } from "../../doctor/negotiation.ts";
import { BoundedMap } from "../../lib/bounded/bounded-map.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type {
  ConnectChoice,
  ConnectionView,
  NegotiationStepView,
  TargetChoice,
} from "../messages/connection.ts";
import { InspectorError, toFailure } from "../session/failure.ts";
import { type HttpExchange, watchedFetch } from "../wire/http-exchange.ts";
import { SpecificationCheck } from "../wire/specification-check.ts";
import type { WireLog } from "../wire/wire-log.ts";
import type { WireRecord } from "../wire/wire-record.ts";
import { createAsks, type KnownAnswers } from "./asks.ts";
import type { ConnectionListener } from "./connection-listener.ts";
import { createAuth, type LoginParts } from "./login.ts";
import { hasCredentials, isHttp, isUrl, showTarget, transportOf } from "./target-facts.ts";

const maxStderrLines = 200;
const maxProblems = 100;
const maxSteps = 200;
const maxSent = 200;

export interface InspectedConnectionParts {
  readonly id: string;
  readonly choice: TargetChoice;
  readonly options: ConnectChoice;
  /** A name that no other connection has, made of the name that the server gives itself. */
  readonly toFreeLabel: (label: string) => string;
  readonly purpose?: ConnectionView["purpose"];
  /** Somebody else who wants to know what happens. */
  readonly observer?: Pick<ConnectOptions, "onMessage" | "onProblem">;
  /** Answers to questions of the server that nobody is asked for. */
  readonly answers?: KnownAnswers;
  readonly wire: WireLog;
  readonly listener: ConnectionListener;
  readonly store: LoginParts["store"];
  readonly version: string;
}

/** One connection of the session, from the wish to its end. */
export class InspectedConnection {
  readonly id: string;
  readonly #parts: InspectedConnectionParts;
  readonly #ended = new AbortController();
  readonly #recorder = new NegotiationRecorder();
  readonly #steps: NegotiationStepView[] = [];
  readonly #stderr: string[] = [];
  readonly #problems: string[] = [];
  readonly #startedAt = Date.now();
  readonly #check: SpecificationCheck;
  /** The last records that were sent, by their text, for the HTTP requests that carry them: a retry sends one again. */
  readonly #sent = new BoundedMap<string, WireRecord>(maxSent);
  /** The records that exchanges carry. */
  readonly #carried = new WeakMap<HttpExchange, WireRecord>();
  #client: Client | undefined;
  #target: Target | undefined;
  #hops: readonly AuthHop[] = [];
  #lastReceived = 0;
  #tools: readonly Tool[] | undefined;
  #label: string;
  #outcome: Partial<ConnectionView> & Pick<ConnectionView, "state"> = { state: "connecting" };

  constructor(parts: InspectedConnectionParts) {
    setMaxListeners(0, this.#ended.signal);
    this.id = parts.id;
    this.#parts = parts;
    this.#label = parts.options.label ?? showTarget(parts.choice);
    this.#check = new SpecificationCheck(() => ({
      revision: this.#client?.server.revision,
      serverCapabilities: this.#client?.server.capabilities,
      undeclared: parts.options.without ?? [],
    }));
  }

  get view(): ConnectionView {
    const { id, choice: target, purpose } = this.#parts;
    return {
      id,
      label: this.#label,
      target,
      ...(purpose !== undefined && { purpose }),
      startedAt: this.#startedAt,
      steps: [...this.#steps],
      authHops: this.#hops,
      ...(this.#stderr.length > 0 && { stderr: [...this.#stderr] }),
      ...this.#outcome,
    };
  }

  get choice(): TargetChoice {
    return this.#parts.choice;
  }

  get options(): ConnectChoice {
    return this.#parts.options;
  }

  /** The place of the server: a URL, or something that has none. */
  get place(): { readonly kind: string; readonly target: unknown } {
    const target = this.#target;
    if (target !== undefined && isUrl(target)) return { kind: "url", target: target.url };
    return { kind: typeof target === "object" && "command" in target ? "command" : "memory", target };
  }

  /** Aborted when the connection is over. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** The client of an open connection. */
  get client(): Client {
    if (this.#client && this.#outcome.state === "open") return this.#client;
    throw new InspectorError("not-found", `The connection ${this.id} is not open.`, {
      hint: "Connect to the server again.",
    });
  }

  /** Takes what was reported since the last time: items that were left out, answers to nothing. */
  takeProblems(): string[] {
    return this.#problems.splice(0);
  }

  /** Connects to what `resolve` finds. Rejects, and is `failed`, if that does not succeed. */
  async open(resolve: () => Promise<Target>, signal: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([signal, this.#ended.signal]);
    this.#changed();
    try {
      const target = await resolve();
      stop.throwIfAborted();
      this.#target = target;
      const client = await connect(this.#withStderr(target), this.#toOptions(target, stop));
      this.#client = client;
      const { info, capabilities, instructions, revision } = client.server;
      const { options, toFreeLabel } = this.#parts;
      if (options.label === undefined) this.#label = toFreeLabel(info?.title ?? info?.name ?? this.#label);
      this.#end({
        state: "open",
        openedAfterMs: this.#recorder.elapsedMs,
        server: { capabilities, ...(info && { info }), ...(instructions !== undefined && { instructions }) },
        revision,
        transport: transportOf(client, target),
      });
      client.onChange((change) => {
        if (change.kind === "tools") this.#tools = undefined;
        this.#parts.listener.onChange(this.id, change);
      });
      void client.closed.then((reason) => this.#onClosed(reason));
    } catch (error) {
      this.#ended.abort();
      this.#end({ ...this.#outcome, state: "failed", failure: toFailure(error) });
      throw error;
    }
  }

  /** Keeps the tools as the server has listed them. */
  keepTools(tools: readonly Tool[]): void {
    this.#tools = tools;
  }

  /** A tool as the server lists it; a server that lists none has none to be found. */
  async findTool(name: string): Promise<Tool | undefined> {
    const { client } = this;
    if (!client.server.capabilities.tools) return undefined;
    this.#tools ??= await client.tools.list().all();
    return this.#tools.find((tool) => tool.name === name);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#client?.close();
  }

  #toOptions(target: Target, signal: AbortSignal): ConnectOptions {
    const { options, listener, store, version, answers } = this.#parts;
    const { revisions, transport, idleMs, oauth } = options;
    const ask: LoginParts["ask"] = (body, until) =>
      listener.ask(this.id, body, AbortSignal.any([until, this.#ended.signal]), this.#lastReceived);
    const onHops = (hops: readonly AuthHop[]) => this.#onHops(hops);
    return {
      ...createAsks(options, {
        known: answers,
        ask,
        model: () => listener.model(),
        signal: this.#ended.signal,
      }),
      info: { name: "allspeak-inspector", version },
      signal,
      // A person may have to answer first.
      openTimeout: 600_000,
      ...(isUrl(target) && {
        fetch: watchedFetch(fetch, {
          onRequest: (exchange, body) => this.#onRequest(exchange, body),
          onResponse: (exchange) => this.#onResponse(exchange),
        }),
        ...(!hasCredentials(target) && isHttp(target) && { auth: createAuth(oauth, { store, ask, onHops }) }),
      }),
      // Without a memory of earlier connections, so that each shows its negotiation.
      hints: new Map(),
      ...(transport === "http-sse-2024" && { hint: { revision: revisions?.at(-1) ?? "", shape: "sse" } }),
      ...(revisions && { revisions: revisions as NonNullable<ConnectOptions["revisions"]> }),
      ...(idleMs !== undefined && { timeout: { idle: idleMs } }),
      // The page shows what does not fit.
      checkOutput: false,
      onText: (text, direction) => this.#onText(text, direction),
      onMessage: (message, direction) => this.#onMessage(message, direction),
      onLog: (message) => listener.onLog(this.id, message),
      onProblem: (problem) => this.#onProblem(problem),
    };
  }

  #onText(text: string, direction: "sent" | "received"): void {
    const record = this.#parts.wire.appendMessage(
      { connection: this.id, check: this.#check },
      text,
      direction,
    );
    if (direction === "received") this.#lastReceived = record.seq;
    else this.#onSent(text, record);
  }

  #onMessage(...message: Parameters<NegotiationRecorder["record"]>): void {
    this.#parts.observer?.onMessage?.(...message);
    if (this.#outcome.state !== "connecting" || this.#steps.length >= maxSteps) return;
    const known = this.#recorder.steps.length;
    this.#recorder.record(...message);
    for (const taken of this.#recorder.steps.slice(known)) {
      const step = { ...taken, seq: this.#parts.wire.lastSeq };
      this.#steps.push(step);
      this.#parts.listener.onStep(this.id, step);
    }
  }

  #onRequest(exchange: HttpExchange, body: string | undefined): void {
    const record = body === undefined ? undefined : this.#sent.get(body);
    if (record === undefined) return;
    this.#carried.set(exchange, record);
    this.#parts.wire.attachExchange(record, exchange);
  }

  #onSent(text: string, record: WireRecord): void {
    this.#sent.set(text, record);
  }

  /** An exchange is an entry of its own if it carried no message, or was refused. */
  #onResponse(exchange: HttpExchange): void {
    const record = this.#carried.get(exchange);
    if (record) this.#parts.wire.attachExchange(record, exchange);
    const isPlain = exchange.method === "POST" && exchange.status !== undefined && exchange.status < 300;
    if (!isPlain) this.#parts.wire.appendExchange(this.id, exchange);
  }

  #onHops(hops: readonly AuthHop[]): void {
    const known = this.#hops.length;
    this.#hops = hops;
    for (const [at, hop] of hops.entries()) if (at >= known) this.#parts.listener.onHop(this.id, at, hop);
  }

  #onProblem(problem: Error): void {
    const { message } = problem;
    this.#parts.observer?.onProblem?.(problem);
    const breaches = this.#check.findBreachIn(message);
    // Printed lines belong to no list.
    if (breaches.length === 0 && this.#problems.length < maxProblems) this.#problems.push(message);
    this.#parts.wire.appendNote(this.id, message, breaches);
    this.#parts.listener.onProblem(this.id, message);
  }

  #onClosed(reason: Error): void {
    const isOurs = this.#ended.signal.aborted;
    this.#ended.abort();
    this.#parts.wire.forgetRequests(this.id);
    this.#end({ ...this.#outcome, state: "closed", ...(!isOurs && { failure: toFailure(reason) }) });
  }

  #end(outcome: Partial<ConnectionView> & Pick<ConnectionView, "state">): void {
    this.#outcome = outcome;
    this.#changed();
  }

  #changed(): void {
    this.#parts.listener.onConnection(this.view);
  }

  /** Keeps the last lines of a program's standard error. */
  #withStderr(target: Target): Target {
    if (typeof target !== "object" || !("command" in target)) return target;
    const stderr = (line: string) => {
      this.#stderr.push(line.slice(0, 2_000));
      if (this.#stderr.length > maxStderrLines) this.#stderr.shift();
    };
    return { ...target, stderr };
  }
}
