import type { Call } from "../../contract/call.ts";
import type { Mount } from "../../contract/mount.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { methods } from "../../protocol/method-table.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { Report } from "../report.ts";
import type { RawRequestOptions } from "../requests.ts";
import { type Asker, assertCanAnswer, liveAsker } from "./asker.ts";
import { HeldCall } from "./held-call.ts";
import { type OpenRound, OpenRounds } from "./open-rounds.ts";
import { wantedLevel } from "./pass-log.ts";
import { toPassedOptions } from "./passed-options.ts";

export interface ForwardOptions extends RawRequestOptions, Pick<Upstreams, "servesOneClient"> {}

/** A connection to the server that calls are forwarded to. */
export interface Upstream extends Pick<Mount, "request"> {
  readonly revision: Revision;
  /** Sends a request of the asker, who gets the questions and the logs of the server about it. */
  forward(asker: Asker, params: JsonObject, options: ForwardOptions): Promise<JsonObject>;
  /** Waits for the result of a task. */
  resume(taskId: string, options: { readonly signal: AbortSignal }): Promise<object>;
}

/** The right to use a connection. */
export interface Lease {
  readonly upstream: Upstream;
  /** Gives it back, once. */
  release(): void;
}

/** The connections that calls are forwarded over. */
export interface Upstreams {
  /** Whether a connection serves one client at a time: then a question that names no call is for that client. */
  readonly servesOneClient: boolean;
  /** The connection of a caller, until it is released. */
  lease(call: Call): Promise<Lease>;
}

interface SendOptions {
  readonly rounds?: "manual";
  /** The signal and the way back, where they are not those of the call. */
  readonly passing?: Pick<Call, "params" | "signal" | "notify">;
}

/** Forwards calls to another server, with the questions, the progress and the logs that come back. */
export class CallForwarder {
  readonly #upstreams: Upstreams;
  readonly #report: Report;
  readonly #rounds = new OpenRounds();

  constructor(upstreams: Upstreams, report: Report) {
    this.#upstreams = upstreams;
    this.#report = report;
  }

  async request(call: Call): Promise<JsonObject> {
    if (!methods.get(call.method)?.rounds) return this.#use(call, (upstream) => upstream.request(call));
    return call.revision.asking === "rounds" ? this.#round(call) : this.#live(call);
  }

  /** Gives up what waits for answers. */
  close(): void {
    this.#rounds.close();
  }

  async #use(call: Call, run: (upstream: Upstream) => Promise<JsonObject>): Promise<JsonObject> {
    const { upstream, release } = await this.#upstreams.lease(call);
    try {
      return await run(upstream);
    } finally {
      release();
    }
  }

  /** A call of a caller that is asked while it runs, whichever way the server asks. */
  #live(call: Call): Promise<JsonObject> {
    return this.#use(call, (upstream) => this.#send(upstream, liveAsker(call), call.params));
  }

  /** One round of a caller that is asked between rounds. */
  async #round(call: Call): Promise<JsonObject> {
    const { requestState } = call.params;
    const earlier = requestState === undefined ? undefined : this.#rounds.take(call);
    if (earlier?.kind === "held") return this.#goOn(earlier.held, call);
    const lease = await this.#upstreams.lease(call);
    if (lease.upstream.revision.asking === "live") return this.#hold(lease, call);
    try {
      return await this.#passRound(lease.upstream, call, earlier);
    } finally {
      lease.release();
    }
  }

  /** Passes a round on to a server that asks between rounds, too. Its state stays here: it is for one principal. */
  async #passRound(upstream: Upstream, call: Call, earlier: OpenRound | undefined): Promise<JsonObject> {
    const { requestState: _, ...others } = call.params;
    const state = earlier?.kind === "state" ? earlier.requestState : undefined;
    const params = state === undefined ? others : { ...others, requestState: state };
    const result = await this.#send(upstream, liveAsker(call), params, { rounds: "manual" });
    if (result.resultType === "task") return this.#awaitTask(upstream, call, result);
    if (result.resultType !== "input_required") return result;
    assertCanAnswerAll(call, result.inputRequests);
    const next = this.#rounds.keep(call, { kind: "state", requestState: result.requestState });
    return { ...result, requestState: next };
  }

  /** Waits for the result of a call that became a task; its questions go to nobody, as the round has ended. */
  async #awaitTask(upstream: Upstream, { signal }: Call, { taskId }: JsonObject): Promise<JsonObject> {
    return { ...(await upstream.resume(String(taskId), { signal })) };
  }

  /** Begins a call to a server that asks while it runs. The call, with its connection, goes on after the round. */
  #hold({ upstream, release }: Lease, call: Call): Promise<JsonObject> {
    const held = new HeldCall(call);
    const { params } = call;
    const passing = { params, signal: held.signal, notify: held.notify };
    held.start(this.#send(upstream, held, params, { passing }).finally(release));
    return this.#goOn(held, call);
  }

  async #goOn(held: HeldCall, call: Call): Promise<JsonObject> {
    held.goOn(call);
    const result = await held.endOfRound();
    return (
      result ?? {
        resultType: "input_required",
        inputRequests: held.questions,
        requestState: this.#rounds.keep(call, { kind: "held", held }),
      }
    );
  }

  #send(
    upstream: Upstream,
    asker: Asker,
    { _meta, ...params }: JsonObject,
    { rounds, passing = asker.call }: SendOptions = {},
  ): Promise<JsonObject> {
    const { call } = asker;
    const passed = toPassedOptions(passing, this.#report);
    const level = upstream.revision.logLevelFrom === "request" ? wantedLevel(call) : undefined;
    const meta = level === undefined ? passed.meta : { ...passed.meta, [MetaKey.logLevel]: level };
    const { servesOneClient } = this.#upstreams;
    return upstream.forward(asker, params, { ...passed, meta, rounds, servesOneClient });
  }
}

function assertCanAnswerAll(call: Call, inputRequests: unknown): void {
  const questions = isObject(inputRequests) ? Object.values(inputRequests).filter(isObject) : [];
  for (const { method, params } of questions)
    assertCanAnswer(call, String(method), isObject(params) ? params : {});
}
