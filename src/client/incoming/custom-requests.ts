import type { IncomingRequest } from "../../contract/channel.ts";
import { UsageError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { checkCustomParams, createCustomMethod } from "../../protocol/custom-method.ts";
import type { Method } from "../../protocol/method.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { methodNotFound } from "../../protocol/wire-error.ts";
import { type CompiledSchema, compileSchema } from "../../schema/compile.ts";
import { withConverters } from "../../schema/convert/convert.ts";
import type { ServerDescription } from "../agreement.ts";
import type { AskContext, RequestHandler, RequestHandlers } from "./custom-request-handler.ts";

type IncomingAsk = Pick<IncomingRequest, "method" | "params" | "signal">;

interface Entry {
  readonly row: Method;
  readonly params: CompiledSchema | undefined;
  readonly run: (params: unknown, context: AskContext) => unknown;
}

/** Compiles the host's handlers; a promise only if a converter for their schemas has to be loaded. */
export function createCustomRequests(handlers: RequestHandlers): MaybePromise<CustomRequests> {
  const schemas = Object.values(handlers).map((given) => given?.options?.params);
  return withConverters(schemas, () => new CustomRequests(handlers));
}

/** The host's handlers for custom requests: those that the specification does not have. */
export class CustomRequests {
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(handlers: RequestHandlers) {
    this.#entries = new Map(Object.entries(handlers).map(([name, given]) => [name, toEntry(name, given)]));
  }

  has(method: string): boolean {
    return this.#entries.has(method);
  }

  async answer({ method, params, signal }: IncomingAsk, server: ServerDescription): Promise<JsonObject> {
    const entry = this.#entries.get(method);
    const extension = entry?.row.extension;
    const isShared = extension === undefined || hasCapability(server.capabilities, `extensions.${extension}`);
    if (entry === undefined || !isShared) throw methodNotFound(method);
    const result = await entry.run(await checkCustomParams(method, entry.params, params), {
      server: server.info,
      signal,
    });
    if (result === undefined) return {};
    if (isObject(result)) return result;
    throw new UsageError(`The handler of ${method} must return an object.`);
  }
}

function toEntry(name: string, given: RequestHandler): Entry {
  if (typeof given?.handler !== "function" || typeof given.options !== "object")
    throw new UsageError(`onRequest: make the handler of ${name} with requestHandler.`);
  const { params, extension } = given.options;
  return {
    row: createCustomMethod(name, { kind: "request", from: "server", extension }),
    params: params && compileSchema(params, "input"),
    run: given.handler as Entry["run"],
  };
}
