import type { Call } from "../contract/call.ts";
import { attempt, isPromise, type MaybePromise } from "../lib/async/maybe-promise.ts";
import { callPart } from "../lib/async/on-demand.ts";
import { type JsonObject, JsonText } from "../lib/json.ts";
import { toSentence } from "../protocol/check/check.ts";
import type { Method } from "../protocol/method.ts";
import { invalidParams, methodNotFound } from "../protocol/wire-error.ts";
import { assertCapabilities } from "./capability-check.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { CallContext } from "./context/call-context.ts";
import { isInputRequired } from "./define/input-required.ts";
import { deriveCall } from "./derive-call.ts";
import { rethrowAsRpcError } from "./errors/to-rpc-error.ts";
import { lists, methodHandlers } from "./methods/handlers.ts";
import type { MethodHandler } from "./methods/method-call.ts";
import { runMiddlewares } from "./middleware.ts";

/** Answers a call, encoded for its revision. Throws only RpcError. */
export function dispatch(catalog: Catalog, call: Call): MaybePromise<JsonText> {
  const { telemetry } = catalog.settings;
  if (telemetry === undefined) return answerEncoded(catalog, call);
  const { params } = call;
  return telemetry.serve(call, isKnown(catalog, call), (ask, notify) =>
    answerEncoded(catalog, deriveCall(call, { params, ask, notify })),
  );
}

/** True where the method exists, and the tool or prompt that it names; undefined where only the server behind a mount knows. */
function isKnown(catalog: Catalog, { method, params, revision }: Call): boolean | undefined {
  const row = revision.methods.get(method) ?? catalog.customRows.find(({ name }) => name === method);
  if (row === undefined) return catalog.findCustomMethod(method) === undefined ? false : undefined;
  if (row.nameParam !== "name") return true;
  return catalog.has(row.runsTool ? "tools" : "prompts", String(params.name));
}

function answerEncoded(catalog: Catalog, call: Call): MaybePromise<JsonText> {
  const row = findRow(catalog, call);
  return attempt(
    (): MaybePromise<JsonObject | JsonText> =>
      row.list ? answerList(catalog, row, call) : answer(catalog, row, call),
    (result) => (result instanceof JsonText ? result : encodeChecked(catalog, row, call, result)),
    (error) => rethrowAsRpcError(error, call, catalog.settings.log),
  );
}

/** The row of the method that a call names. */
export function findRow(catalog: Catalog, { method, revision }: Call): Method {
  const row = revision.methods.get(method) ?? catalog.findCustomMethod(method)?.row;
  if (row === undefined) throw methodNotFound(method);
  return row;
}

/** Answers a call in the neutral model, behind the middlewares. */
export function answer(catalog: Catalog, row: Method, call: Call): JsonObject | Promise<JsonObject> {
  const handler = admit(catalog, row, call);
  const handle = (current: Call) =>
    handler({ catalog, call: current, ctx: new CallContext(current, catalog.settings.logLevel) }, row);
  const { middlewares } = catalog;
  return middlewares.length === 0 ? handle(call) : runMiddlewares(middlewares, call, handle);
}

/** The handler for a call that the revision, the capabilities and the method table let through. */
function admit(catalog: Catalog, row: Method, call: Call): MethodHandler {
  const { name, params } = row;
  const handler = methodHandlers.get(name) ?? catalog.findCustomMethod(name)?.handle;
  if (handler === undefined) throw methodNotFound(name);
  assertCapabilities(catalog, row, call);
  const problem = params(call.params);
  if (problem !== undefined) throw invalidParams(toSentence(problem));
  return handler;
}

function encodeChecked(
  catalog: Catalog,
  row: Method,
  call: Call,
  result: JsonObject,
): MaybePromise<JsonText> {
  const whole = checked(row, call, result);
  return isPromise(whole) ? whole.then((one) => encode(catalog, call, one)) : encode(catalog, call, whole);
}

function encode(catalog: Catalog, call: Call, result: JsonObject): JsonText {
  return call.revision.encode.resultText(call.method, result, catalog.settings.info);
}

function answerList(catalog: Catalog, row: Method, call: Call): MaybePromise<JsonObject | JsonText> {
  return lists.use(
    ({ cachedPage }): MaybePromise<JsonObject | JsonText> =>
      cachedPage(catalog, row, call, async () =>
        encodeChecked(catalog, row, call, await answer(catalog, row, call)),
      ) ?? answer(catalog, row, call),
  );
}

/** Loaded with the first result that asks for another round. */
const rounds = callPart(() => import("./replay/assert-may-ask.ts"));

/** Checks an `input_required` result; returns every other result as it is. */
export function checked(row: Method, call: Call, result: JsonObject): MaybePromise<JsonObject> {
  if (!isInputRequired(result)) return result;
  return rounds.use(({ assertMayAsk }) => {
    assertMayAsk(row, call, result);
    return result;
  });
}
