import { HandlerError, RpcError, UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { toSentence } from "../../protocol/check/check.ts";
import { samplesWithTools } from "../../protocol/check/sampling-rules.ts";
import type { RequestId } from "../../protocol/message.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import type { Revision } from "../../protocol/revision.ts";
import { invalidParams, methodNotFound } from "../../protocol/wire-error.ts";
import type { Agreement, ServerDescription } from "../agreement.ts";
import { elicitationModes, encodeCapabilities } from "../capabilities.ts";
import type { ConnectOptions, RootList } from "../options.ts";
import type { AskContext } from "./custom-request-handler.ts";
import type { CustomRequests } from "./custom-requests.ts";
import { toRoots } from "./roots.ts";

/** A question of the server, sent as a request or as part of an unfinished result. */
export interface Ask {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  /** The request of ours that it came with, where the transport tells. */
  readonly relatedTo?: RequestId | undefined;
}

type MethodHandler = (
  asks: Asks,
  params: JsonObject,
  handlers: AskHandlers,
  context: AskContext,
) => Promise<JsonObject>;

export type AskHandlers = Pick<ConnectOptions, "elicit" | "sample" | "roots">;

/** Finds the handlers for a question that is not for the host; throws if nobody can answer it. */
export type AskRoute = (ask: Ask) => AskHandlers | undefined;

type Answers = Partial<typeof import("./elicitation.ts") & typeof import("./sampling.ts")>;

interface AskParts {
  readonly handlers: AskHandlers;
  readonly answers: Answers;
  readonly capabilities: ClientCapabilities;
  readonly agreement: Omit<Agreement, "channel">;
  readonly custom?: CustomRequests | undefined;
}

/** Answers requests of the server through the host's handlers, or through the caller of a call that is passed on. */
export class Asks {
  static readonly #methodHandlers: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
    ["elicitation/create", (asks, ...ask) => asks.#elicit(...ask)],
    ["sampling/createMessage", (asks, ...ask) => asks.#sample(...ask)],
    ["roots/list", (asks, ...ask) => asks.#listRoots(...ask)],
  ]);
  #handlers: AskHandlers;
  readonly #answers: Answers;
  readonly #capabilities: ClientCapabilities;
  readonly #revision: Revision;
  /** Its methods are answered too: some servers agree on an older revision, and use what was declared. */
  readonly #declaredIn: Revision;
  readonly #server: ServerDescription;
  readonly #custom: CustomRequests | undefined;
  #route: AskRoute | undefined;

  private constructor({ handlers, answers, capabilities, agreement, custom }: AskParts) {
    this.#handlers = handlers;
    this.#answers = answers;
    this.#revision = agreement.revision;
    this.#declaredIn = agreement.declaredIn;
    this.#server = agreement.server;
    this.#capabilities = encodeCapabilities(agreement.declaredIn, capabilities);
    this.#custom = custom;
  }

  /** Loads what the handlers of this host need, and no more. */
  static async create(parts: Omit<AskParts, "answers">): Promise<Asks> {
    const { elicit, sample } = parts.handlers;
    const [elicitation, sampling] = await Promise.all([
      elicit && import("./elicitation.ts"),
      sample && import("./sampling.ts"),
    ]);
    return new Asks({ ...parts, answers: { ...elicitation, ...sampling } });
  }

  /** From now on, questions go to the handlers that the route gives for them, if it gives any. */
  routeBy(route: AskRoute): void {
    this.#route = route;
  }

  setRoots(roots: RootList): void {
    this.#handlers = { ...this.#handlers, roots: toRoots(roots) };
  }

  /** Rejects with an `RpcError` when the server asked for what it may not, or asked it badly. */
  async answer(ask: Ask): Promise<JsonObject> {
    const { method, params, signal, relatedTo } = ask;
    // basic/patterns/mrtr (2026-07-28): a result may ask only for requests of the specification.
    if (this.#custom?.has(method) && this.#revision.asking === "live")
      return this.#custom.answer(ask, this.#server);
    this.#assertAllowed(method, params);
    const context: AskContext = { server: this.#server.info, signal, relatedTo };
    const handler = Asks.#methodHandlers.get(method);
    if (handler === undefined) throw methodNotFound(method);
    return handler(this, params, this.#route?.(ask) ?? this.#handlers, context);
  }

  #assertAllowed(method: string, params: JsonObject): void {
    const row = this.#revision.methods.get(method) ?? this.#declaredIn.methods.get(method);
    if (row === undefined || row.from === "client" || row.kind !== "request") throw methodNotFound(method);
    if (row.needs && !hasCapability(this.#capabilities, row.needs.capability)) throw methodNotFound(method);
    const problem = row.params(params);
    if (problem !== undefined) throw invalidParams(toSentence(problem));
  }

  async #elicit(params: JsonObject, { elicit }: AskHandlers, context: AskContext): Promise<JsonObject> {
    if (elicit === undefined || this.#answers.answerElicitation === undefined)
      throw methodNotFound("elicitation/create");
    const modes = elicitationModes(this.#declaredIn, this.#capabilities);
    const answer = await this.#answers.answerElicitation(params, modes, (ask, toAnswer) =>
      runHostHandler("elicit", async () => toAnswer(await elicit(ask, context))),
    );
    return { ...answer };
  }

  async #sample(params: JsonObject, { sample }: AskHandlers, context: AskContext): Promise<JsonObject> {
    if (sample === undefined || this.#answers.answerSampling === undefined)
      throw methodNotFound("sampling/createMessage");
    const revision = samplesWithTools(params) ? this.#declaredIn : this.#revision;
    return this.#answers.answerSampling(params, revision, this.#capabilities, (ask, toAnswer) =>
      runHostHandler("sample", async () => toAnswer(await sample(ask, context))),
    );
  }

  #listRoots(_params: JsonObject, { roots = [] }: AskHandlers, context: AskContext): Promise<JsonObject> {
    return runHostHandler("roots", async () => ({
      roots: toRoots(typeof roots === "function" ? await roots(context) : roots),
    }));
  }
}

/** A refusal that the host chose itself: its handler threw an `RpcError`. */
export class HostRefusal extends RpcError {
  /** The error that the handler threw. */
  readonly given: RpcError;

  constructor(given: RpcError) {
    super(given.wireCode, given.message, given.data, { cause: given });
    this.given = given;
  }
}

/**
 * Runs a handler of the host; an error names the handler.
 *
 * An `RpcError` passes unchanged, unless another server sent it: that one's text is not for this server.
 */
async function runHostHandler<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RpcError && !error.isReceived) throw new HostRefusal(error);
    const message = `${name} handler: ${error instanceof Error ? error.message : String(error)}`;
    throw error instanceof UsageError
      ? new UsageError(message, { cause: error })
      : new HandlerError(message, { cause: error });
  }
}
