import type { Call } from "../contract/call.ts";
import { NotInRevisionError } from "../errors.ts";
import { type JsonObject, JsonText, toJsonText } from "../lib/json.ts";
import { toSentence } from "../protocol/check.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { invalidParams, methodNotFound } from "../protocol/wire-error.ts";
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
export async function dispatch(catalog: Catalog, call: Call): Promise<JsonObject | JsonText> {
  try {
    if (isSameForAll(catalog, call)) return await rememberedList(catalog, call);
    return encode(catalog, call, allowed(call, await answer(catalog, call)));
  } catch (error) {
    throw toRpcError(error, call, catalog.settings.log);
  }
}

/** Answers a call of a server in which this one is mounted, in the neutral model. Throws only RpcError. */
export async function answerMounted(catalog: Catalog, call: Call): Promise<JsonObject> {
  try {
    return allowed(call, await answer(catalog, call));
  } catch (error) {
    throw toRpcError(error, call, catalog.settings.log);
  }
}

function answer(catalog: Catalog, call: Call): JsonObject | Promise<JsonObject> {
  const handler = admit(catalog, call);
  const handle = (current: Call) =>
    handler({ catalog, call: current, ctx: new CallContext(current, catalog.settings.logLevel) });
  const { middlewares } = catalog;
  return middlewares.length === 0 ? handle(call) : runMiddlewares(middlewares, call, handle);
}

/** The handler for a call that the revision, the capabilities and the method table let through. */
function admit(catalog: Catalog, call: Call): MethodHandler {
  const method = call.revision.methods.get(call.method);
  const handler = methodHandlers.get(call.method);
  if (method === undefined || handler === undefined) throw methodNotFound(call.method);
  const { needs } = method;
  if (needs && !hasCapability(catalog.capabilities, needs.capability)) throw methodNotFound(call.method);
  const problem = method.params(call.params);
  if (problem !== undefined) throw invalidParams(toSentence(problem));
  return handler;
}

function encode(catalog: Catalog, call: Call, result: JsonObject): JsonObject {
  return call.revision.encode.result(call.method, result, catalog.settings.info);
}

/** Whether the answer is the first page of a list that no caller sees differently. */
function isSameForAll(catalog: Catalog, call: Call): boolean {
  if (!Object.hasOwn(listMethods, call.method) || call.params.cursor !== undefined) return false;
  return isUniform(catalog, call.method as ListMethod);
}

/** Such a list is made and encoded once for each revision, until something changes. */
function rememberedList(catalog: Catalog, call: Call): Promise<JsonText> {
  return catalog.cached(`${call.method} ${call.revision.version}`, async () => {
    const result = allowed(call, await answer(catalog, call));
    return new JsonText(toJsonText(encode(catalog, call, result)));
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
