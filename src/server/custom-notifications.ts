import type { Caller, NotificationSender } from "../contract/service.ts";
import { UsageError } from "../errors.ts";
import { isPromise, type MaybePromise } from "../lib/async/maybe-promise.ts";
import type { JsonObject } from "../lib/json.ts";
import { toSentence } from "../protocol/check.ts";
import { checkCustomParams, createCustomMethod } from "../protocol/custom-method.ts";
import type { Method } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { type CompiledSchema, compileSchema, type SchemaInput } from "../schema/compile.ts";
import { withConverters } from "../schema/convert/convert.ts";
import type { NotificationOptions } from "./define/method.ts";
import { rethrowAsRegistrationError } from "./define/registration-error.ts";

interface Entry {
  readonly row: Method;
  readonly receive: (params: JsonObject, sender: NotificationSender) => unknown;
}

/** The listeners of a server's author for notifications of clients, by method. */
export class CustomNotifications {
  readonly #entries = new Map<string, Set<Entry>>();
  readonly #onPending: (schema: Promise<unknown>) => void;

  constructor(onPending: (schema: Promise<unknown>) => void) {
    this.#onPending = onPending;
  }

  /** Adds a listener until the returned function is called. */
  add(
    name: string,
    options: NotificationOptions<SchemaInput>,
    listener: (params: never, sender: NotificationSender) => unknown,
  ): () => void {
    const row = toRow(name, options.extension);
    const schema = compileParams(name, options.params);
    if (isPromise(schema)) this.#onPending(schema);
    const call = listener as (params: unknown, sender: NotificationSender) => unknown;
    const entry: Entry = {
      row,
      receive: async (params, sender) => {
        const compiled = isPromise(schema) ? await schema : schema;
        return call(await checkCustomParams(name, compiled, params), sender);
      },
    };
    const entries = this.#entries.get(name) ?? new Set();
    this.#entries.set(name, entries.add(entry));
    return () => void entries.delete(entry);
  }

  has(name: string): boolean {
    return (this.#entries.get(name)?.size ?? 0) > 0;
  }

  get rows(): readonly Method[] {
    return [...this.#entries.values()].flatMap((entries) => [...entries].map(({ row }) => row));
  }

  /** Runs the listeners; rejects with the first failure. A notification of a sender without the extension is ignored. */
  async receive(name: string, params: JsonObject, caller: Caller, sender: NotificationSender): Promise<void> {
    for (const { row, receive } of this.#entries.get(name) ?? []) {
      const { extension } = row;
      if (extension && !hasCapability(caller.client.capabilities, `extensions.${extension}`)) continue;
      const problem = row.params(params);
      if (problem !== undefined) throw new UsageError(`Ignored ${name}: ${toSentence(problem)}`);
      await receive(params, sender);
    }
  }
}

function compileParams(
  name: string,
  params: SchemaInput | undefined,
): MaybePromise<CompiledSchema> | undefined {
  if (params === undefined) return undefined;
  const problem = `The notification ${name} has params that can't be used`;
  return withConverters([params], () =>
    rethrowAsRegistrationError(problem, () => compileSchema(params, "input")),
  );
}

/** The row of a notification that clients send: one of the specification, or one of the author's. */
function toRow(name: string, extension: string | undefined): Method {
  const published = methods.get(name);
  if (published?.kind === "notification" && published.from !== "server") return published;
  return createCustomMethod(name, { kind: "notification", from: "client", extension });
}
