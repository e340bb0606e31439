import { toPassedOptions } from "../client/passed-options.ts";
import type { Report } from "../client/report.ts";
import type { Call } from "../contract/call.ts";
import type { Mount, PrefixedKind } from "../contract/mount.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import type { JsonObject } from "../lib/json.ts";
import { MetaKey } from "../protocol/meta.ts";
import { methods } from "../protocol/method-table.ts";
import type { ClientCapabilities, ServerCapabilities } from "../protocol/model/identity.ts";
import { liveAsker } from "./asker.ts";
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

/**
 * The server behind a bridge as a mount: each caller has a connection of its own, over which its calls, its answers
 * to questions, its progress and its logs go. Changes of lists and of resources come over one connection for all.
 */
export class BridgeMount implements Mount {
  readonly #main: Upstream;
  readonly #pool: UpstreamPool;
  readonly #report: Report;
  readonly #rounds = new OpenRounds();

  constructor(main: Upstream, pool: UpstreamPool, report: Report) {
    this.#main = main;
    this.#pool = pool;
    this.#report = report;
  }

  get name(): string | undefined {
    return this.#main.mount.name;
  }

  get capabilities(): ServerCapabilities {
    return this.#main.mount.capabilities;
  }

  has(kind: PrefixedKind, name: string): boolean | undefined {
    return this.#main.mount.has?.(kind, name);
  }

  async watch(uri: string): Promise<void> {
    await this.#main.mount.watch?.(uri);
  }

  unwatch(uri: string): void {
    this.#main.mount.unwatch?.(uri);
  }

  onChange(listener: (event: ServerEvent) => void): () => void {
    return this.#main.mount.onChange(listener);
  }

  async request(call: Call): Promise<JsonObject> {
    if (!methods.get(call.method)?.rounds) return this.#use(call, (upstream) => upstream.mount.request(call));
    return call.revision.asking === "rounds" ? this.#round(call) : this.#live(call);
  }

  close(): void {
    this.#rounds.close();
  }

  async #use(call: Call, run: (upstream: Upstream) => Promise<JsonObject>): Promise<JsonObject> {
    const { upstream, release } = await this.#pool.lease(call, false);
    try {
      return await run(upstream);
    } finally {
      release();
    }
  }

  /** A call of a caller that is asked while it runs, whichever way the server asks. */
  #live(call: Call): Promise<JsonObject> {
    return this.#use(call, (upstream) =>
      upstream.run(liveAsker(call), () => this.#send(upstream, call, call.params)),
    );
  }

  /** One round of a caller that is asked between rounds. */
  async #round(call: Call): Promise<JsonObject> {
    const { requestState } = call.params;
    const earlier = requestState === undefined ? undefined : this.#rounds.take(call);
    if (earlier?.kind === "held") return this.#goOn(earlier.held, call);
    if (this.#main.asksInRounds)
      return this.#use(call, (upstream) => this.#passRound(upstream, call, earlier));
    return this.#hold(await this.#pool.lease(call, canAnswer(call.client.capabilities)), call);
  }

  /** Passes a round on to a server that asks between rounds, too. Its state stays here: it is for one principal. */
  async #passRound(upstream: Upstream, call: Call, earlier: OpenRound | undefined): Promise<JsonObject> {
    const { requestState: _, ...others } = call.params;
    const state = earlier?.kind === "state" ? earlier.requestState : undefined;
    const params = state === undefined ? others : { ...others, requestState: state };
    const result = await upstream.run(liveAsker(call), () =>
      this.#send(upstream, call, params, { rounds: "manual" }),
    );
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
    held.start(upstream.run(held, () => this.#send(upstream, call, params, { passing })).finally(release));
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
    { client }: Upstream,
    call: Call,
    { _meta, ...params }: JsonObject,
    { rounds, passing = call }: SendOptions = {},
  ): Promise<JsonObject> {
    const passed = toPassedOptions(passing, this.#report);
    const level = wantedLevel(call);
    // Servers of sessions ignore it: there the session has a level.
    const meta = level === undefined ? passed.meta : { ...passed.meta, [MetaKey.logLevel]: level };
    return client.request(call.method, params, { ...passed, meta, rounds });
  }
}

function canAnswer({ elicitation, sampling, roots }: ClientCapabilities): boolean {
  return elicitation !== undefined || sampling !== undefined || roots !== undefined;
}
