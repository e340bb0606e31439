import type { Call } from "../contract/call.ts";
import { invalidParams, methodNotFound, NotInRevisionError } from "../errors.ts";
import { type JsonObject, JsonText, toJsonText } from "../lib/json.ts";
import { toSentence } from "../protocol/check.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import type { Catalog } from "./catalog.ts";
import { CallContext } from "./context/call-context.ts";
import { assertClientSupports, isInputRequired } from "./define/input-required.ts";
import { methodHandlers } from "./methods/handlers.ts";
import { isUniform } from "./methods/lists.ts";
import type { MethodHandler } from "./methods/method-call.ts";
import { runMiddlewares } from "./middleware.ts";
import { type ListMethod, listMethods } from "./mounts.ts";
import { hasRounds } from "./replay/has-rounds.ts";
import { toRpcError } from "./to-rpc-error.ts";

/** Answers a call in the words of its revision. Throws only RpcError. */
export async function dispatch(offer: Catalog, call: Call): Promise<JsonObject | JsonText> {
  try {
    if (isSameForAll(offer, call)) return await rememberedList(offer, call);
    return encode(offer, call, allowed(call, await answer(offer, call)));
  } catch (error) {
    throw toRpcError(error, call, offer.settings.log);
  }
}

/** Answers a call of a server in which this one is mounted, in the neutral model. Throws only RpcError. */
export async function answerMounted(offer: Catalog, call: Call): Promise<JsonObject> {
  try {
    return allowed(call, await answer(offer, call));
  } catch (error) {
    throw toRpcError(error, call, offer.settings.log);
  }
}

function answer(offer: Catalog, call: Call): JsonObject | Promise<JsonObject> {
  const handler = admit(offer, call);
  const handle = (current: Call) =>
    handler({ catalog: offer, call: current, ctx: new CallContext(current, offer.settings.logLevel) });
  const { middlewares } = offer;
  return middlewares.length === 0 ? handle(call) : runMiddlewares(middlewares, call, handle);
}

/** The handler for a call that the revision, the capabilities and the method table let through. */
function admit(offer: Catalog, call: Call): MethodHandler {
  const method = call.revision.methods.get(call.method);
  const handler = methodHandlers.get(call.method);
  if (method === undefined || handler === undefined) throw methodNotFound(call.method);
  const { needs } = method;
  if (needs && !hasCapability(offer.capabilities, needs.capability)) throw methodNotFound(call.method);
  const problem = method.params(call.params);
  if (problem !== undefined) throw invalidParams(toSentence(problem));
  return handler;
}

function encode(offer: Catalog, call: Call, result: JsonObject): JsonObject {
  return call.revision.encode.result(call.method, result, offer.settings.info);
}

/** Whether the answer is the first page of a list that no caller sees differently. */
function isSameForAll(offer: Catalog, call: Call): boolean {
  if (!Object.hasOwn(listMethods, call.method) || call.params.cursor !== undefined) return false;
  return isUniform(offer, call.method as ListMethod);
}

/** Such a list is made and encoded once for each revision, until something changes. */
function rememberedList(offer: Catalog, call: Call): Promise<JsonText> {
  return offer.cached(`${call.method} ${call.revision.version}`, async () => {
    const result = allowed(call, await answer(offer, call));
    return new JsonText(toJsonText(encode(offer, call, result)));
  });
}

/** A result that this caller may be given. */
function allowed(call: Call, result: JsonObject): JsonObject {
  if (isInputRequired(result)) assertMayAsk(call, result);
  return result;
}

/** A handler may only ask where the revision has rounds, for what the client has declared. */
function assertMayAsk(call: Call, result: JsonObject): void {
  if (call.revision.asking !== "rounds" || !hasRounds(call.method)) {
    throw new NotInRevisionError("A result that asks for another round", call.revision.version);
  }
  assertClientSupports(call.client.capabilities, result);
}
