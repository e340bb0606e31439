import type { Call } from "../../contract/call.ts";
import type { NotificationSender } from "../../contract/service.ts";
import { InvalidOutputError, RegistrationError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { OptionKinds } from "../../lib/option-check.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { describeIssues } from "../../lib/text/issue.ts";
import { checkCustomParams, createCustomMethod } from "../../protocol/custom-method.ts";
import type { Method } from "../../protocol/method.ts";
import { methodNotFound } from "../../protocol/wire-error.ts";
import { type CompiledSchema, compileSchema, type SchemaInput } from "../../schema/compile.ts";
import { withConverters } from "../../schema/convert/convert.ts";
import type { InferInput, InferOutput } from "../../schema/infer.ts";
import { type AccessOptions, accessOptionKinds, mayUse } from "../access.ts";
import type { Context } from "../context/context.ts";
import { rethrowAsRegistrationError } from "./registration-error.ts";
import type { NoSchema } from "./tool.ts";

/** Params that were checked against their schema; any object where there is none. */
export type CustomParams<Params extends SchemaInput> = NoSchema extends Params
  ? JsonObject
  : InferOutput<Params>;

type CustomResult<Result extends SchemaInput> = NoSchema extends Result
  ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing sends an empty result.
    object | void
  : InferInput<Result>;

export interface NotificationOptions<Params extends SchemaInput = NoSchema> {
  /** The schema of the params, without `_meta`. Default: any object. */
  readonly params?: Params | undefined;
  /**
   * The extension that this belongs to, such as `com.example/reports`.
   *
   * The server declares it in `capabilities.extensions`, and a client that does not declare it is refused.
   */
  readonly extension?: string | undefined;
}

export interface MethodOptions<Params extends SchemaInput = NoSchema, Result extends SchemaInput = NoSchema>
  extends NotificationOptions<Params>,
    AccessOptions {
  /** The schema of the result. A result that does not fit is an internal error. Default: any object. */
  readonly result?: Result | undefined;
  /** A capability of the client without which it is refused, such as `sampling`. */
  readonly requires?: string | undefined;
}

export const notificationOptionKinds: OptionKinds<NotificationOptions> = {
  params: "object|function",
  extension: "string",
};

export const methodOptionKinds: OptionKinds<MethodOptions> = {
  ...accessOptionKinds,
  ...notificationOptionKinds,
  result: "object|function",
  requires: "string",
};

export type CustomMethodHandler<Params extends SchemaInput, Result extends SchemaInput> = (
  params: CustomParams<Params>,
  ctx: Context,
) => CustomResult<Result> | Promise<CustomResult<Result>>;

export type CustomNotificationListener<Params extends SchemaInput> = (
  params: CustomParams<Params>,
  sender: NotificationSender,
) => unknown;

interface CustomCall {
  readonly call: Call;
  readonly ctx: Context;
}

/** A custom method: its row in the method table, and its handler. */
export interface CompiledMethod {
  readonly row: Method;
  readonly handle: (request: CustomCall) => Promise<JsonObject>;
}

/** Compiles a method; a promise only if a converter for its schemas has to be loaded. */
export function compileMethod(
  name: string,
  options: MethodOptions<SchemaInput, SchemaInput>,
  handler: (params: never, ctx: Context) => unknown,
): MaybePromise<CompiledMethod> {
  const { extension, requires } = options;
  const row = createCustomMethod(name, { kind: "request", from: "client", extension, requires });
  if (typeof handler !== "function") throw new RegistrationError(`The method ${name} needs a handler.`);
  const run = handler as (params: unknown, ctx: Context) => unknown;
  return withConverters([options.params, options.result], () => {
    const params = options.params && compile(name, options.params, "input");
    const result = options.result && compile(name, options.result, "output");
    const handle: CompiledMethod["handle"] = async ({ call, ctx }) => {
      if (!(await mayUse(options, ctx))) throw methodNotFound(name);
      return toResult(name, result, await run(await checkCustomParams(name, params, call.params), ctx));
    };
    return { row, handle };
  });
}

function compile(name: string, schema: SchemaInput, direction: "input" | "output"): CompiledSchema {
  const problem = `The method ${name} has an ${direction} schema that can't be used`;
  return rethrowAsRegistrationError(problem, () => compileSchema(schema, direction));
}

async function toResult(
  method: string,
  schema: CompiledSchema | undefined,
  returned: unknown,
): Promise<JsonObject> {
  const checked = schema ? await schema.validate(returned ?? {}) : undefined;
  if (checked?.ok === false)
    throw new InvalidOutputError(
      `The result of ${method} does not fit its schema:\n${describeIssues(checked.issues)}`,
    );
  const result = checked ? checked.value : (returned ?? {});
  if (!isObject(result))
    throw new InvalidOutputError(`The result of ${method} must be an object, not ${describeValue(result)}.`);
  return result;
}
