import type { NotificationSender } from "../../contract/service.ts";
import { UsageError } from "../../errors.ts";
import { isPromise, type MaybePromise } from "../../lib/async/maybe-promise.ts";
import { Throttle } from "../../lib/async/throttle.ts";
import type { JsonObject } from "../../lib/json.ts";
import { toSentence } from "../../protocol/check/check.ts";
import { checkCustomParams, createCustomMethod } from "../../protocol/custom-method.ts";
import type { Method } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { type CompiledSchema, compileSchema, type SchemaInput } from "../../schema/compile.ts";
import { withConverters } from "../../schema/convert/convert.ts";
import type { NotificationOptions } from "../define/method.ts";
import { rethrowAsRegistrationError } from "../define/registration-error.ts";
import type { LogSink } from "../log.ts";

interface Entry {
  readonly row: Method;
  readonly receive: (params: JsonObject, sender: NotificationSender) => Promise<unknown>;
  readonly reports: Throttle;
}

/** The parts of its server that the listeners use. */
interface NotificationHooks {
  readonly log: LogSink;
  readonly onPending: (schema: Promise<unknown>) => void;
  readonly onChange: () => void;
}

// Clients decide how many notifications they send, so they must not decide how much is logged.
const reportEveryMs = 60_000;

/** The listeners of a server's author for notifications of clients, by method. */
export class CustomNotifications {
  readonly #log: LogSink;
  readonly #onPending: NotificationHooks["onPending"];
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Set<Entry>>();
  readonly #dropReports = new Throttle(reportEveryMs);

  constructor({ log, onPending, onChange }: NotificationHooks) {
    this.#log = log;
    this.#onPending = onPending;
    this.#onChange = onChange;
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
      reports: new Throttle(reportEveryMs),
    };
    const entries = this.#entries.get(name) ?? new Set();
    this.#entries.set(name, entries.add(entry));
    this.#onChange();
    return () => {
      if (entries.delete(entry)) this.#onChange();
    };
  }

  get rows(): readonly Method[] {
    return [...this.#entries.values()].flatMap((entries) => [...entries].map(({ row }) => row));
  }

  has(name: string): boolean {
    return (this.#entries.get(name)?.size ?? 0) > 0;
  }

  /** Runs the listeners and logs their failures. A notification of a sender without the extension is ignored. */
  async receive(name: string, params: JsonObject, sender: NotificationSender): Promise<void> {
    const entries = [...(this.#entries.get(name) ?? [])];
    await Promise.all(entries.map((entry) => this.#run(entry, params, sender)));
  }

  /** Logs that a notification reached no listener, at most once a minute. */
  reportDrop(name: string, cause: unknown): void {
    if (this.#dropReports.isDue()) this.#log({ message: `${name} was dropped`, cause });
  }

  async #run(
    { row, receive, reports }: Entry,
    params: JsonObject,
    sender: NotificationSender,
  ): Promise<void> {
    const { name, extension } = row;
    if (extension && !hasCapability(sender.client.capabilities, `extensions.${extension}`)) return;
    try {
      const problem = row.params(params);
      if (problem !== undefined) throw new UsageError(`Ignored ${name}: ${toSentence(problem)}`);
      await receive(params, sender);
    } catch (cause) {
      if (reports.isDue()) this.#log({ message: `A listener of ${name} failed`, cause });
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
