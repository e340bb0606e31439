import type { Call } from "../../contract/call.ts";
import type { Mount } from "../../contract/mount/mount.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { methods } from "../../protocol/method-table.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { readTask } from "../../protocol/model/read-task.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { Report } from "../report.ts";
import type { RawRequestOptions } from "../requests.ts";
import type { TaskCallOptions } from "../tasks/task-options.ts";
import { type Asker, assertCanAnswer, liveAsker } from "./asker.ts";
import { ForwardedTasks } from "./forwarded-tasks.ts";
import { HeldCall } from "./held-call.ts";
import { type OpenRound, OpenRounds } from "./open-rounds.ts";
import { wantedLevel } from "./pass-log.ts";
import { toPassedOptions } from "./passed-options.ts";
import {
  answerUnvisited,
  answerWithVisits,
  areVisitsAccepted,
  readRequiredVisits,
  toVisitQuestions,
} from "./required-visits.ts";

/** A task where the sender decides: for how long it is kept, or made only if the tool supports it. */
export type ForwardedTaskOption = { readonly ttlMs?: number } | "if supported";

type TaskOptions = Pick<TaskCallOptions, "onTask">;

export interface ForwardOptions extends RawRequestOptions, TaskOptions, Pick<Upstreams, "servesOneClient"> {
  readonly task?: ForwardedTaskOption | undefined;
}

export interface FollowOptions extends TaskOptions, Pick<Upstreams, "servesOneClient"> {
  /** Cancels the task. */
  readonly signal: AbortSignal;
}

/** A connection to the server that calls are forwarded to. */
export interface Upstream extends Pick<Mount, "request"> {
  readonly revision: Revision;
  /** True if the server runs calls as tasks. */
  readonly hasTasks: boolean;
  /** Sends a request of the asker, who gets the questions and the logs of the server about it. */
  forward(asker: Asker, params: JsonObject, options: ForwardOptions): Promise<JsonObject>;
  /** Lets the server log from the level that the session of the call has set. */
  setLogLevel(call: Call): Promise<void>;
  /** Waits for the result of a task of the asker. */
  follow(asker: Asker, taskId: string, options: FollowOptions): Promise<JsonObject>;
}

/** The right to use a connection. */
export interface UpstreamLease {
  readonly upstream: Upstream;
  /** Puts questions of the server that belong to no call to the asker, until the connection is given back. */
  putQuestions?(asker: Asker): Promise<void>;
  /** Gives it back, once. */
  release(): void;
}

/** The connections that calls are forwarded over. */
export interface Upstreams {
  /** True if a connection serves one client at a time: then a question that names no call is for that client. */
  readonly servesOneClient: boolean;
  /** The connection of a caller, until it is released. */
  lease(call: Call): Promise<UpstreamLease>;
}

interface SendOptions extends Pick<ForwardOptions, "task" | "onTask"> {
  readonly rounds?: "manual";
  /** The signal and the way back, where they are not those of the call. */
  readonly passing?: Pick<Call, "params" | "signal" | "notify">;
}

/** Forwards calls to another server, with the questions, the progress and the logs that come back. */
export class CallForwarder {
  /** The calls that their callers see as tasks. */
  readonly tasks: ForwardedTasks = new ForwardedTasks();
  readonly #upstreams: Upstreams;
  readonly #report: Report;
  readonly #rounds = new OpenRounds();

  constructor(upstreams: Upstreams, report: Report) {
    this.#upstreams = upstreams;
    this.#report = report;
  }

  async request(call: Call): Promise<JsonObject> {
    const hasRounds = methods.get(call.method)?.rounds === true;
    if (hasRounds && call.revision.asking === "rounds") return this.#round(call);
    try {
      if (!hasRounds) return await this.#use(call, (upstream) => upstream.request(call));
      return await (takesTask(call) ? this.#begin(call) : this.#live(call));
    } catch (error) {
      const visits = readRequiredVisits(error);
      if (visits === undefined) throw error;
      return answerWithVisits(call, visits, error);
    }
  }

  /** Gives up what waits for answers, and the tasks. */
  close(): void {
    this.#rounds.close();
    this.tasks.close();
  }

  async #use(call: Call, run: (upstream: Upstream) => Promise<JsonObject>): Promise<JsonObject> {
    const { upstream, putQuestions, release } = await this.#upstreams.lease(call);
    try {
      if (call.revision.asking === "live") await putQuestions?.(liveAsker(call));
      return await run(upstream);
    } finally {
      release();
    }
  }

  /** A call of a caller that is asked while it runs, whichever way the server asks. */
  #live(call: Call): Promise<JsonObject> {
    return this.#use(call, (upstream) => this.#send(upstream, liveAsker(call), call.params));
  }

  /** A call that its caller wants as a task. */
  async #begin(call: Call): Promise<JsonObject> {
    const lease = await this.#upstreams.lease(call);
    if (!lease.upstream.hasTasks) {
      lease.release();
      return this.#live(call);
    }
    const { ttl } = call.params.task as JsonObject;
    const held = this.#start(lease, call, typeof ttl === "number" ? { ttlMs: ttl } : {});
    // A server that decides by itself may answer without a task; the caller gets one all the same.
    if (lease.upstream.revision.tasks === "by-receiver") return this.tasks.create(held);
    return (await held.endOfRound()) ?? this.tasks.create(held);
  }

  /** One round of a caller that is asked between rounds. */
  async #round(call: Call): Promise<JsonObject> {
    const { requestState } = call.params;
    const earlier = requestState === undefined ? undefined : this.#rounds.take(call);
    if (earlier?.kind === "held") return this.#goOn(earlier.held, call);
    if (earlier?.kind === "visits" && !areVisitsAccepted(call)) return answerUnvisited(call);
    const lease = await this.#upstreams.lease(call);
    if (lease.upstream.revision.asking === "live")
      return this.#goOn(this.#start(lease, call, "if supported"), call);
    return this.#passRound(lease, call, earlier);
  }

  /** Passes a round on to a server that asks between rounds, too. Its state stays here: it is for one principal. */
  async #passRound(lease: UpstreamLease, call: Call, earlier: OpenRound | undefined): Promise<JsonObject> {
    const { requestState: _, ...others } = call.params;
    const state = earlier?.kind === "state" ? earlier.requestState : undefined;
    const params = state === undefined ? others : { ...others, requestState: state };
    let result: JsonObject;
    try {
      result = await this.#send(lease.upstream, liveAsker(call), params, { rounds: "manual" });
    } catch (error) {
      lease.release();
      throw error;
    }
    if (result.resultType === "task") return this.#goOn(this.#follow(lease, call, result), call);
    lease.release();
    if (result.resultType !== "input_required") return result;
    assertCanAnswerAll(call, result.inputRequests);
    const next = this.#rounds.keep(call, { kind: "state", requestState: result.requestState });
    return { ...result, requestState: next };
  }

  /** Begins a call that goes on, with its connection, after its caller has been answered. */
  #start(
    { upstream, putQuestions, release }: UpstreamLease,
    call: Call,
    task: ForwardedTaskOption,
  ): HeldCall {
    const held = new HeldCall(call);
    // They are between the caller and us.
    const { requestState: _, inputResponses: __, ...params } = call.params;
    const passing = { params, signal: held.signal, notify: held.notify };
    const asTask = takesTask(call) ? { task, onTask: held.onTask } : {};
    const send = async () => {
      await putQuestions?.(held);
      return this.#send(upstream, held, params, { passing, ...asTask });
    };
    held.start(send().finally(release));
    return held;
  }

  /** Follows a call that became a task; to a caller that takes no tasks its questions are rounds. */
  #follow({ upstream, release }: UpstreamLease, call: Call, created: JsonObject): HeldCall {
    const held = new HeldCall(call);
    const task = readTask(created);
    const { servesOneClient } = this.#upstreams;
    const onTask = takesTask(call) ? held.onTask : undefined;
    if (task) onTask?.(task);
    const options = { signal: held.signal, servesOneClient, onTask };
    held.start(upstream.follow(held, String(created.taskId), options).finally(release));
    return held;
  }

  async #goOn(held: HeldCall, call: Call): Promise<JsonObject> {
    held.goOn(call);
    let result: JsonObject | undefined;
    try {
      result = await held.endOfRound();
    } catch (error) {
      return this.#askForVisits(call, error);
    }
    if (result) return result;
    if (held.task) return this.tasks.create(held);
    return {
      resultType: "input_required",
      inputRequests: held.questions,
      requestState: this.#rounds.keep(call, { kind: "held", held }),
    };
  }

  /** Asks for the visits that an error of the server names; throws any other error. The next round begins the call again. */
  #askForVisits(call: Call, error: unknown): JsonObject {
    const visits = readRequiredVisits(error);
    if (visits === undefined) throw error;
    return {
      resultType: "input_required",
      inputRequests: toVisitQuestions(call, visits),
      requestState: this.#rounds.keep(call, { kind: "visits" }),
    };
  }

  #send(
    upstream: Upstream,
    asker: Asker,
    { _meta, task: _, ...params }: JsonObject,
    { passing = asker.call, ...options }: SendOptions = {},
  ): Promise<JsonObject> {
    const { call } = asker;
    const passed = toPassedOptions(passing, this.#report);
    const level = upstream.revision.logLevelFrom === "request" ? wantedLevel(call) : undefined;
    const meta = level === undefined ? passed.meta : { ...passed.meta, [MetaKey.logLevel]: level };
    const { servesOneClient } = this.#upstreams;
    return upstream.forward(asker, params, { ...passed, ...options, meta, servesOneClient });
  }
}

/** True for a call whose caller takes a task for an answer. */
function takesTask({ method, params, revision, client }: Call): boolean {
  if (!methods.get(method)?.runsTool) return false;
  switch (revision.tasks) {
    case "by-receiver":
      return hasCapability(client.capabilities, tasksCapability);
    case "by-sender":
      return isObject(params.task);
    case "none":
      return false;
  }
}

function assertCanAnswerAll(call: Call, inputRequests: unknown): void {
  const questions = isObject(inputRequests) ? Object.values(inputRequests).filter(isObject) : [];
  for (const { method, params } of questions)
    assertCanAnswer(call, String(method), isObject(params) ? params : {});
}
