import { HandlerError, type McpError, RpcError, UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { toSentence } from "../../protocol/check/check.ts";
import { samplesWithTools } from "../../protocol/check/sampling-rules.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import { invalidParams, methodNotFound, WireCode } from "../../protocol/wire-error.ts";
import type { Agreement } from "../agreement.ts";
import { elicitationModes, encodeCapabilities } from "../capabilities.ts";
import type { RootsResult } from "../options.ts";
import type { Ask, AskHandlers, AskParts } from "./ask.ts";
import type { AskContext } from "./custom-request-handler.ts";
import { toRoots } from "./roots.ts";

/** The ways to answer that the handlers of the host need. */
type Answers = Partial<typeof import("./elicitation.ts") & typeof import("./sampling.ts")>;

/** A question that the server may ask, and the side that it is put to. */
interface AllowedAsk {
  readonly params: JsonObject;
  readonly handlers: AskHandlers;
  readonly answers: Answers;
  readonly context: AskContext;
  readonly agreement: Omit<Agreement, "channel">;
  /** The capabilities as they were declared. */
  readonly capabilities: ClientCapabilities;
}

const methodHandlers: ReadonlyMap<string, (ask: AllowedAsk) => Promise<JsonObject>> = new Map([
  ["elicitation/create", elicit],
  ["sampling/createMessage", sample],
  ["roots/list", listRoots],
]);

/** Answers a question of the server by the handlers of the host, or of the caller that a route finds. */
export async function answerAsk(parts: AskParts & Answers, ask: Ask): Promise<JsonObject> {
  const { agreement, custom, route } = parts;
  const { method, params, signal, relatedTo } = ask;
  // basic/patterns/mrtr#inputrequests (2026-07-28): a result may ask only for requests of the specification.
  if (custom?.has(method) && agreement.revision.asking === "live")
    return custom.answer(ask, agreement.server);
  const capabilities = encodeCapabilities(agreement.declaredIn, parts.capabilities);
  assertAllowed(agreement, capabilities, ask);
  const context: AskContext = { server: agreement.server.info, signal, relatedTo };
  const handle = methodHandlers.get(method);
  if (handle === undefined) throw methodNotFound(method);
  const handlers = route?.(ask) ?? parts.handlers;
  return handle({ params, handlers, answers: parts, context, agreement, capabilities });
}

/** Methods of the declared revision are answered too: some servers agree on an older one, and use what was declared. */
function assertAllowed(
  { revision, declaredIn }: AllowedAsk["agreement"],
  capabilities: ClientCapabilities,
  { method, params }: Ask,
): void {
  const row = revision.methods.get(method) ?? declaredIn.methods.get(method);
  if (row === undefined || row.from === "client" || row.kind !== "request") throw methodNotFound(method);
  if (row.needs && !hasCapability(capabilities, row.needs.capability)) throw methodNotFound(method);
  const problem = row.params(params);
  if (problem !== undefined) throw invalidParams(toSentence(problem));
}

async function elicit(allowed: AllowedAsk): Promise<JsonObject> {
  const { params, agreement, capabilities, context } = allowed;
  const { elicit } = allowed.handlers;
  const { answerElicitation } = allowed.answers;
  if (elicit === undefined || answerElicitation === undefined) throw methodNotFound("elicitation/create");
  const modes = elicitationModes(agreement.declaredIn, capabilities);
  const answer = await answerElicitation(params, modes, (ask, toAnswer) =>
    runHostHandler("elicit", async () => toAnswer(await elicit(ask, context))),
  );
  return { ...answer };
}

async function sample(allowed: AllowedAsk): Promise<JsonObject> {
  const { params, agreement, capabilities, context } = allowed;
  const { sample } = allowed.handlers;
  const { answerSampling } = allowed.answers;
  if (sample === undefined || answerSampling === undefined) throw methodNotFound("sampling/createMessage");
  const revision = samplesWithTools(params) ? agreement.declaredIn : agreement.revision;
  return answerSampling(params, revision, capabilities, (ask, toAnswer) =>
    runHostHandler("sample", async () => toAnswer(await sample(ask, context))),
  );
}

function listRoots({ handlers: { roots = [] }, context, params }: AllowedAsk): Promise<JsonObject> {
  return runHostHandler("roots", async () => {
    const given = typeof roots === "function" ? await roots({ ...context, params }) : roots;
    return isObject(given)
      ? { ...given, roots: toRoots((given as RootsResult).roots) }
      : { roots: toRoots(given) };
  });
}

/** A refusal that the server may read: an `RpcError` that a handler threw, or what a caller lacks whom it asks. */
export class HostRefusal extends RpcError {
  /** The error as it was thrown. */
  readonly given: McpError;

  constructor(given: McpError) {
    const { wireCode = WireCode.invalidRequest, data = undefined } = given instanceof RpcError ? given : {};
    super(wireCode, given.message, data, { cause: given });
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
