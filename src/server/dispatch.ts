import type { Call } from "../peer/call.ts";
import { sentence } from "../protocol/check.ts";
import { invalidParams, methodNotFound, NotInRevisionError } from "../protocol/errors.ts";
import { type JsonObject, JsonText, toJsonText } from "../protocol/json.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { CallContext } from "./call-context.ts";
import { toRpcError } from "./failure.ts";
import type { Handler } from "./handlers/handler.ts";
import { isUniform } from "./handlers/list.ts";
import { handlers } from "./handlers/table.ts";
import { assertMayBeAsked, isInputRequired } from "./input-required.ts";
import { runMiddlewares } from "./middleware.ts";
import { type ListMethod, lists } from "./mounts.ts";
import type { Offer } from "./offer.ts";
import { hasRounds } from "./replay/has-rounds.ts";

/** Answers a call in the words of its revision. Throws only RpcError. */
export async function dispatch(offer: Offer, call: Call): Promise<JsonObject | JsonText> {
  try {
    if (isSameForAll(offer, call)) return await rememberedList(offer, call);
    return encode(offer, call, allowed(call, await answer(offer, call)));
  } catch (error) {
    throw toRpcError(error, call, offer.settings.log);
  }
}

/** Answers a call of a server in which this one is mounted, in the neutral model. Throws only RpcError. */
export async function answerMounted(offer: Offer, call: Call): Promise<JsonObject> {
  try {
    return allowed(call, await answer(offer, call));
  } catch (error) {
    throw toRpcError(error, call, offer.settings.log);
  }
}

function answer(offer: Offer, call: Call): JsonObject | Promise<JsonObject> {
  const handler = admit(offer, call);
  const handle = (current: Call) =>
    handler({ offer, call: current, ctx: new CallContext(current, offer.settings.logLevel) });
  const { middlewares } = offer;
  return middlewares.length === 0 ? handle(call) : runMiddlewares(middlewares, call, handle);
}

/** The handler for a call that the revision, the capabilities and the method table let through. */
function admit(offer: Offer, call: Call): Handler {
  const method = call.revision.methods.get(call.method);
  const handler = handlers.get(call.method);
  if (method === undefined || handler === undefined) throw methodNotFound(call.method);
  const { needs } = method;
  if (needs && !hasCapability(offer.capabilities, needs.capability)) throw methodNotFound(call.method);
  const problem = method.params(call.params);
  if (problem !== undefined) throw invalidParams(sentence(problem));
  return handler;
}

function encode(offer: Offer, call: Call, result: JsonObject): JsonObject {
  return call.revision.encode.result(call.method, result, offer.settings.info);
}

/** Whether the answer is the first page of a list that no caller sees differently. */
function isSameForAll(offer: Offer, call: Call): boolean {
  if (!Object.hasOwn(lists, call.method) || call.params.cursor !== undefined) return false;
  return isUniform(offer, call.method as ListMethod);
}

/** Such a list is made and encoded once for each revision, until something changes. */
function rememberedList(offer: Offer, call: Call): Promise<JsonText> {
  return offer.remember(`${call.method} ${call.revision.version}`, async () => {
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
  assertMayBeAsked(call.client.capabilities, result);
}
