import type { Call } from "../../contract/call.ts";
import { type ServerEvent, toEventKey, toNotification } from "../../contract/server-event.ts";
import { CoalescingQueue } from "../../lib/async/coalescing-queue.ts";
import type { JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { EventListener } from "../server-events.ts";
import type { TaskNotifier } from "../tasks/worker/task-notifier.ts";
import type { MethodCall } from "./method-call.ts";

/** The notifications that a caller of `subscriptions/listen` asks for. */
export interface Filter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

export interface WatchedUris {
  /** Those whose updates the caller receives. */
  readonly watched: ReadonlySet<string>;
  /** Those, and the hidden ones: a caller can't tell one from a resource that does not exist. */
  readonly agreed: readonly string[];
}

/** One caller of `subscriptions/listen`, who is notified until it is gone. Many thousands wait, so it holds little. */
export class OpenSubscription implements EventListener {
  readonly #catalog: Catalog;
  readonly #call: Call;
  readonly #filter: Filter;
  readonly #watched: ReadonlySet<string> | undefined;
  /** Set until the caller knows that it is subscribed. */
  #acknowledging: Promise<void> | undefined;
  #queue: CoalescingQueue<ServerEvent> | undefined;
  #tasks: TaskNotifier | undefined;

  constructor({ catalog, call }: MethodCall, filter: Filter, uris: WatchedUris | undefined) {
    this.#catalog = catalog;
    this.#call = call;
    this.#filter = filter;
    this.#watched = uris?.watched;
    const notifications = uris ? { ...filter, resourceSubscriptions: uris.agreed } : filter;
    this.#acknowledging = this.notify("notifications/subscriptions/acknowledged", { notifications });
    catalog.events.add(this);
  }

  /** Notifies of the caller's tasks, too. */
  follow(tasks: TaskNotifier): void {
    this.#tasks = tasks;
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#call.notify(method, { ...params, ...this.result });
  }

  get result(): JsonObject {
    return { _meta: { [MetaKey.subscriptionId]: this.#call.id } };
  }

  /** Begins to notify of tasks, once the caller knows that it is subscribed. */
  async acknowledged(): Promise<void> {
    await this.#acknowledging;
    this.#acknowledging = undefined;
    this.#tasks?.follow(this.#filter.taskIds ?? []);
  }

  /** Resolves when the server closes, and rejects when the caller cancels. */
  closed(): Promise<void> {
    return this.#call.untilClosed?.() ?? untilClosed(this.#call);
  }

  /** Settles when everything is sent. */
  async sent(): Promise<void> {
    await Promise.all([this.#queue?.idle(), this.#tasks?.close()]);
  }

  end(): void {
    this.#catalog.events.delete(this);
    for (const uri of this.#watched ?? []) this.#catalog.unwatch(uri);
    void this.#tasks?.close();
  }

  /** Notifies of everything that may have changed. */
  onMissed(): void {
    for (const kind of ["tools", "prompts", "resources"] as const) this.onEvent({ kind });
    for (const uri of this.#watched ?? []) this.onEvent({ kind: "resource", uri });
  }

  onEvent(event: ServerEvent): void {
    // Only sessions are notified of these: here a log message belongs to a request, and elicitations have no end.
    if (event.kind === "elicitation" || event.kind === "log") return;
    const isWanted =
      event.kind === "resource" ? this.#watched?.has(event.uri) : this.#filter[`${event.kind}ListChanged`];
    if (!isWanted) return;
    // A failed write needs no report: a reader that is gone ends the call by its signal.
    this.#queue ??= new CoalescingQueue(
      (next) => this.notify(...toNotification(next)),
      () => {},
      this.#acknowledging,
    );
    this.#queue.add(toEventKey(event), event);
  }
}

/** Resolves when the server closes, and rejects when the caller cancels. */
function untilClosed({ signal, closing }: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    const onEnd = () => {
      signal.removeEventListener("abort", onEnd);
      closing.removeEventListener("abort", onEnd);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    if (signal.aborted || closing.aborted) return onEnd();
    signal.addEventListener("abort", onEnd);
    closing.addEventListener("abort", onEnd);
  });
}
