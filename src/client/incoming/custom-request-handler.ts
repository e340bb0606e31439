import { assertFunction, assertOptions, type OptionKinds } from "../../contract/options.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { Implementation } from "../../protocol/model/identity.ts";
import type { SchemaInput } from "../../schema/compile.ts";
import type { InferOutput } from "../../schema/infer.ts";

/** The server that asks, and the signal that ends its question. */
export interface AskContext {
  /** The name that the server gives itself, which proves nothing. */
  readonly server: Implementation | undefined;
  /** Aborted when the server no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** The id of the request that the question came with, where the transport knows it. */
  readonly relatedTo?: RequestId | undefined;
}

type NoParams = Record<never, never>;

export interface RequestHandlerOptions<Params extends SchemaInput = NoParams> {
  /** The schema of the params, without `_meta`. Default: any object. */
  readonly params?: Params | undefined;
  /**
   * The extension that the request belongs to, such as `com.example/reports`.
   *
   * The client declares it in `capabilities.extensions`, and a server that does not declare it gets no answer.
   */
  readonly extension?: string | undefined;
}

const requestHandlerKinds: OptionKinds<RequestHandlerOptions> = {
  params: "object|function",
  extension: "string",
};

/** A handler for a request of servers that the specification does not have. */
export interface RequestHandler {
  readonly options: RequestHandlerOptions<SchemaInput>;
  readonly handler: (params: never, context: AskContext) => unknown;
}

/** Defines a handler for `onRequest`, with params that are checked and typed by their schema. */
export function requestHandler<Params extends SchemaInput = NoParams>(
  options: RequestHandlerOptions<Params>,
  handler: (
    params: NoParams extends Params ? JsonObject : InferOutput<Params>,
    context: AskContext,
  ) => object | undefined | Promise<object | undefined>,
): RequestHandler {
  assertOptions("requestHandler", options, requestHandlerKinds);
  assertFunction("requestHandler", handler);
  return { options, handler };
}

export type RequestHandlers = { readonly [method: string]: RequestHandler };
