import { toPassedOptions } from "../client/passed-options.ts";
import type { Report } from "../client/report.ts";
import type { Call } from "../contract/call.ts";
import type { JsonObject } from "../lib/json.ts";
import { MetaKey } from "../protocol/meta.ts";
import { methods } from "../protocol/method-table.ts";
import { type Asker, liveAsker } from "./asker.ts";
import { HeldCall } from "./held-call.ts";
import { type OpenRound, OpenRounds } from "./open-rounds.ts";
import { wantedLevel } from "./pass-log.ts";
import type { Upstream } from "./upstream.ts";
import type { Lease, UpstreamPool } from "./upstream-pool.ts";

interface SendOptions {
  readonly rounds?: "manual";
  /** The signal and the way back, where they are not those of the call. */
  readonly passing?: Pick<Call, "params" | "signal" | "notify">;
}

/** Forwards calls to the server behind a bridge, with the questions, the progress and the logs that come back. */
export class CallForwarder {
  readonly #pool: UpstreamPool;
  readonly #report: Report;
  readonly #rounds = new OpenRounds();

  constructor(pool: UpstreamPool, report: Report) {
    this.#pool = pool;
    this.#report = report;
  }

  /** The number of calls that run, or wait for answers. */
  get running(): number {
    return this.#pool.running;
  }

  async request(call: Call): Promise<JsonObject> {
    if (!methods.get(call.method)?.rounds) return this.#use(call, (upstream) => upstream.mount.request(call));
    return call.revision.asking === "rounds" ? this.#round(call) : this.#live(call);
  }

  /** Gives up what waits for answers, and closes all connections. */
  async close(): Promise<void> {
    this.#rounds.close();
    await this.#pool.close();
  }

  async #use(call: Call, run: (upstream: Upstream) => Promise<JsonObject>): Promise<JsonObject> {
    const { upstream, release } = await this.#pool.lease(call);
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
    const lease = await this.#pool.lease(call);
    if (!lease.upstream.asksInRounds) return this.#hold(lease, call);
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
    const next = this.#rounds.keep(call, { kind: "state", requestState: result.requestState });
    return { ...result, requestState: next };
  }

  /** Waits for the result of a call that became a task; its questions go to nobody, as the round has ended. */
  async #awaitTask({ client }: Upstream, call: Call, { taskId }: JsonObject): Promise<JsonObject> {
    const { signal } = call;
    return { ...(await client.tasks.resume(String(taskId), { signal })) };
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
    const level = wantedLevel(call);
    // Servers of sessions ignore it: there the session has a level.
    const meta = level === undefined ? passed.meta : { ...passed.meta, [MetaKey.logLevel]: level };
    return upstream.run(asker, (onId) =>
      upstream.client.request(call.method, params, { ...passed, meta, rounds, onId }),
    );
  }
}
