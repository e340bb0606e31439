import type { Call, CallEndListener } from "../../contract/call.ts";
import {
  isReceiver,
  type ServerEvent,
  toEventKey,
  toListener,
  toNotification,
} from "../../contract/server-event.ts";
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
  /** Those, and the hidden ones: a caller can't distinguish one from a resource that does not exist. */
  readonly agreed: readonly string[];
}

/** The two ways in which a subscription ends. */
interface SubscriptionOutcome {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (reason: unknown) => void;
}

/** One caller of `subscriptions/listen`, who is notified until it is gone. Many thousands wait, so it holds little. */
export class OpenSubscription implements EventListener, CallEndListener {
  readonly #catalog: Catalog;
  readonly #call: Call;
  readonly #filter: Filter;
  readonly #watched: ReadonlySet<string> | undefined;
  /** Set until the caller knows that it is subscribed. basic/patterns/subscriptions#acknowledgment (2026-07-28) */
  #acknowledging: Promise<void> | undefined;
  #queue: CoalescingQueue<ServerEvent> | undefined;
  #tasks: TaskNotifier | undefined;
  #outcome: SubscriptionOutcome | undefined;

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

  /** The id of the subscription. basic/patterns/subscriptions#receiving-notifications (2026-07-28) */
  get result(): JsonObject {
    return { _meta: { [MetaKey.subscriptionId]: this.#call.id } };
  }

  /** Notifies of changes until the call ends. */
  keepOpen(outcome: SubscriptionOutcome): void {
    this.#outcome = outcome;
    Promise.resolve(this.#acknowledging)
      .then(() => this.#onAcknowledged())
      .catch((error: unknown) => this.onCancelled(error));
  }

  onClosing(): void {
    Promise.all([this.#queue?.idle(), this.#tasks?.close()])
      .finally(() => this.#end())
      .then(
        () => this.#outcome?.resolve(this.result),
        (error: unknown) => this.#outcome?.reject(error),
      );
  }

  onCancelled(reason: unknown): void {
    this.#end();
    this.#outcome?.reject(reason);
  }

  /** Begins to notify of tasks, since the caller knows now that it is subscribed. */
  #onAcknowledged(): void {
    this.#acknowledging = undefined;
    this.#tasks?.follow(this.#filter.taskIds ?? []);
    if (this.#call.onEnd) this.#call.onEnd(this);
    else listenToEnd(this.#call, this);
  }

  #end(): void {
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
    if (!isReceiver(event, toListener(this.#call.principal))) return;
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

function listenToEnd({ signal, closing }: Call, listener: CallEndListener): void {
  const onAbort = () => {
    signal.removeEventListener("abort", onAbort);
    closing.removeEventListener("abort", onAbort);
    if (signal.aborted) listener.onCancelled(signal.reason);
    else listener.onClosing();
  };
  if (signal.aborted || closing.aborted) return onAbort();
  signal.addEventListener("abort", onAbort);
  closing.addEventListener("abort", onAbort);
}
