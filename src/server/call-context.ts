import type { Call, Principal } from "../peer/call.ts";
import { isObject, type JsonObject } from "../protocol/json.ts";
import type { RequestId } from "../protocol/message.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { Root, SamplingRequest } from "../protocol/model/ask.ts";
import type { ClientIdentity } from "../protocol/model/identity.ts";
import { isLogLevel, type LogLevel, reaches } from "../protocol/model/logging.ts";
import type { SchemaInput } from "../schema/index.ts";
import type { AskOptions, Context, Sampled } from "./context.ts";
import type { ResourceContext } from "./resource.ts";

/** The context of one call, made of the call. */
export class CallContext implements Context {
  readonly #call: Call;
  readonly #defaultLevel: LogLevel;
  #lastProgress = Number.NEGATIVE_INFINITY;

  constructor(call: Call, defaultLevel: LogLevel) {
    this.#call = call;
    this.#defaultLevel = defaultLevel;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
  get requestId(): RequestId {
    return this.#call.id;
  }
  get client(): ClientIdentity {
    return this.#call.client;
  }
  get principal(): Principal | undefined {
    return this.#call.principal;
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
  get requestState(): string | undefined {
    const { requestState } = this.#call.params;
    return typeof requestState === "string" ? requestState : undefined;
  }

  async progress(progress: number, total?: number, message?: string): Promise<void> {
    const { progressToken } = this.meta;
    // The protocol wants progress to grow; what does not grow is no progress.
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
    const threshold = this.#logLevel();
    if (threshold === undefined || !reaches(level, threshold)) return;
    await this.#call.notify("notifications/message", {
      level,
      ...(logger !== undefined && { logger }),
      data,
    });
  }

  // One name for both ways of asking; the public type tells them apart.
  async elicit(key: string, message: string, asked: object, options?: AskOptions<unknown>): Promise<never> {
    const { askForm, askVisit } = await loadAsks();
    const url = "url" in asked && typeof asked.url === "string" ? asked.url : undefined;
    const ask = { call: this.#call, key, message };
    const answer =
      url === undefined ? askForm(ask, asked as SchemaInput, options) : askVisit(ask, url, options);
    return answer as Promise<never>;
  }

  async sample(key: string, request: SamplingRequest, options?: AskOptions<Sampled>): Promise<Sampled> {
    const { askModel } = await loadAsks();
    return askModel({ call: this.#call, key }, request, options);
  }

  async roots(options?: AskOptions<readonly Root[]>): Promise<readonly Root[]> {
    const { askRoots } = await loadAsks();
    return askRoots({ call: this.#call, key: "roots" }, options);
  }

  #logLevel(): LogLevel | undefined {
    if (this.#call.revision.logLevelFrom === "session")
      return this.#call.session?.logLevel ?? this.#defaultLevel;
    const wanted = this.meta[MetaKey.logLevel];
    return isLogLevel(wanted) ? wanted : undefined;
  }
}

/** Most servers never ask, and start faster without. */
function loadAsks(): Promise<typeof import("./asks.ts")> {
  return import("./asks.ts");
}

interface Origin {
  readonly call: Call;
  readonly offer: { readonly settings: { readonly logLevel: LogLevel } };
}

export class UriContext extends CallContext implements ResourceContext {
  readonly uri: string;

  constructor({ call, offer }: Origin, uri: string) {
    super(call, offer.settings.logLevel);
    this.uri = uri;
  }
}

export class CompletionContext extends CallContext {
  readonly others: { readonly [name: string]: string };

  constructor({ call, offer }: Origin, others: { readonly [name: string]: string }) {
    super(call, offer.settings.logLevel);
    this.others = others;
  }
}
