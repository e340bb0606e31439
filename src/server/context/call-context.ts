import type { Call } from "../../contract/call.ts";
import type { HttpView } from "../../contract/caller/http-view.ts";
import type { Principal } from "../../contract/caller/principal.ts";
import type { ContextKey } from "../../contract/context-key.ts";
import { assertFunction, assertString } from "../../contract/options.ts";
import { ReplayError, UrlElicitationRequiredError, UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { assertCustomName } from "../../protocol/custom-method.ts";
import type { RequestId } from "../../protocol/message.ts";
import { MetaKey, readProgressToken } from "../../protocol/meta.ts";
import type { ClientDeclaration } from "../../protocol/model/identity.ts";
import { assertLogLevel, isLogLevel, type LogLevel, meetsLogLevel } from "../../protocol/model/logging.ts";
import type { Root } from "../../protocol/model/root.ts";
import type { AskStrategy, OpenQuestions } from "../replay/ask-strategy.ts";
import type { JournalRecord } from "../replay/journal.ts";
import { Detachment } from "../replay/suspension.ts";
import type { TaskHandle } from "../tasks/task-options.ts";
import type { AsJson } from "./as-json.ts";
import type { AskRun } from "./asks.ts";
import type { AskOptions, Context, CustomRequestOptions, Sampled } from "./context.ts";

/** The parts of a run that the call does not hold: the record of earlier runs, and its task. */
export interface ContextOptions {
  readonly asking?: AskStrategy | undefined;
  readonly requestState?: string | undefined;
  readonly task?: TaskHandle | undefined;
  /** Lets `detach` make the call a task. */
  readonly mayDetach?: boolean | undefined;
}

/** The context of one run of a handler. */
export class CallContext implements Context {
  readonly #call: Call;
  readonly #defaultLevel: LogLevel;
  readonly requestState: string | undefined;
  readonly task: TaskHandle | undefined;
  readonly #mayDetach: boolean;
  #asking: AskStrategy | undefined;
  #isOver = false;
  /** The key of the `once` whose function is running synchronously. */
  #within: string | undefined;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #unanswered = 0;

  constructor(call: Call, defaultLevel: LogLevel, earlier?: ContextOptions) {
    this.#call = call;
    this.#defaultLevel = defaultLevel;
    this.#asking = earlier?.asking;
    this.requestState = earlier?.requestState;
    this.task = earlier?.task;
    this.#mayDetach = earlier?.mayDetach ?? false;
  }

  /** Ends the run. Returns the questions that it left open. */
  conclude(outcome: { readonly error?: unknown }): OpenQuestions | undefined {
    this.#isOver = true;
    return this.#asking?.conclude?.(outcome);
  }

  /** The number of questions whose answers have not come. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** The journal of all that the handler asked and did once so far. */
  record(): JournalRecord | undefined {
    return this.#asking?.record?.();
  }

  /** The required URL elicitations as questions for another round, where the revision has rounds. */
  async requireUrlElicitations(error: unknown): Promise<OpenQuestions | undefined> {
    if (!(error instanceof UrlElicitationRequiredError) || this.#call.revision.asking !== "rounds")
      return undefined;
    const asking = await this.#open();
    return asking.requireUrlElicitations?.(error.elicitations);
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
  get requestId(): RequestId {
    return this.#call.id;
  }
  get client(): ClientDeclaration {
    return this.#call.client;
  }
  get principal(): Principal | undefined {
    return this.#call.principal;
  }
  get address(): string | undefined {
    return this.#call.address;
  }
  get http(): HttpView | undefined {
    return this.#call.http;
  }
  get session(): { readonly id: string } | undefined {
    return this.#call.session;
  }
  get revision(): string {
    return this.#call.revision.version;
  }
  get meta(): JsonObject {
    return isObject(this.#call.params._meta) ? this.#call.params._meta : {};
  }
  get inputResponses(): JsonObject {
    const { inputResponses } = this.#call.params;
    return isObject(inputResponses) ? inputResponses : {};
  }

  get<T>(key: ContextKey<T>): T {
    const found = this.#call.given?.find(key);
    if (found) return found.value;
    throw new UsageError(
      this.task === undefined || key.stored
        ? `No middleware gave the value "${key.name}"; add one that calls next({ values: [key.of(value)] }).`
        : `A task does not have the value "${key.name}"; make its key with contextKey("${key.name}", { stored: true }).`,
    );
  }

  async progress(progress: number, total?: number, message?: string): Promise<void> {
    if (typeof progress !== "number")
      throw new UsageError(`ctx.progress takes a number, not ${describeValue(progress)}.`);
    const progressToken = readProgressToken(this.#call.params);
    // basic/utilities/progress#progress-flow (2025-11-25): the value MUST increase with each notification.
    if (progressToken === undefined || !(progress > this.#lastProgress)) return;
    this.#lastProgress = progress;
    await this.#call.notify("notifications/progress", {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
  }

  disconnect(): void {
    this.#call.disconnect();
  }

  async log(level: LogLevel, data: unknown, logger?: string): Promise<void> {
    assertLogLevel(level);
    if (logger !== undefined) assertString("The logger of ctx.log", logger);
    const threshold = this.#logLevel();
    if (threshold === undefined || !meetsLogLevel(level, threshold)) return;
    await this.#call.notify("notifications/message", {
      level,
      ...(logger !== undefined && { logger }),
      data,
    });
  }

  // The overloads of Context give the types; the implementation takes all forms.
  elicit(...given: readonly unknown[]): Promise<never> {
    return this.#ask(({ askUser }, run) => askUser(run, given) as Promise<never>);
  }

  sample(...given: readonly unknown[]): Promise<Sampled> {
    return this.#ask(({ askModel }, run) => askModel(run, given));
  }

  roots(options?: AskOptions<readonly Root[]>): Promise<readonly Root[]> {
    return this.#ask(({ askRoots }, run) => askRoots(run, options));
  }

  async once<T>(key: string, run: () => T | Promise<T>): Promise<AsJson<T>> {
    assertFunction("ctx.once", run);
    const asking = await this.#open();
    return asking.once<T>(key, () => {
      this.#within = key;
      try {
        return run();
      } finally {
        this.#within = undefined;
      }
    }) as Promise<AsJson<T>>;
  }

  async detach(): Promise<void> {
    if (this.#mayDetach) throw new Detachment();
  }

  request(method: string, params?: JsonObject, options?: CustomRequestOptions): Promise<JsonObject> {
    const ask = async () => {
      const { askCustom } = await loadAsks();
      return askCustom({ call: this.#call, isTask: this.task !== undefined }, { method, params, options });
    };
    return this.#track(ask());
  }

  async notify(method: string, params: JsonObject = {}): Promise<void> {
    assertCustomName(method);
    await this.#call.notify(method, params);
  }

  async completeElicitation(id: string): Promise<void> {
    if (!this.#call.revision.hasElicitationIds) return;
    await this.#call.notify("notifications/elicitation/complete", { elicitationId: id });
  }

  /** Puts a question in the words of the run's strategy. */
  #ask<T>(put: (asks: AskFunctions, run: AskRun) => Promise<T>): Promise<T> {
    const open = async () => {
      const asking = await this.#openToAsk();
      return put(await loadAsks(), { call: this.#call, asking });
    };
    return this.#track(open());
  }

  /** Counts a question until it is answered, and marks it as handled: one that is not awaited must not end the process. */
  #track<T>(answer: Promise<T>): Promise<T> {
    this.#unanswered++;
    const settle = () => {
      this.#unanswered--;
    };
    answer.then(settle, settle);
    return answer;
  }

  /** Refuses a question inside `once`: the function would run again with the answer. */
  #openToAsk(): Promise<AskStrategy> {
    const key = this.#within;
    if (key === undefined) return this.#open();
    throw new ReplayError(
      "within-once",
      `ctx.once("${key}") asks the client; ask before or after ctx.once, never inside it.`,
    );
  }

  async #open(): Promise<AskStrategy> {
    const { createAskStrategy } = await loadAsks();
    this.#asking ??= createAskStrategy(this.#call);
    if (this.#isOver) this.#asking.conclude?.({});
    return this.#asking;
  }

  #logLevel(): LogLevel | undefined {
    if (this.#call.revision.logLevelFrom === "session")
      return this.#call.session?.logLevel ?? this.#defaultLevel;
    const wanted = this.meta[MetaKey.logLevel];
    return isLogLevel(wanted) ? wanted : undefined;
  }
}

type AskFunctions = typeof import("./asks.ts");

/** Loaded with the first question: most servers never ask, and start faster without it. */
function loadAsks(): Promise<AskFunctions> {
  return import("./asks.ts");
}
