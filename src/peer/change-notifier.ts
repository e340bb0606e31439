import { type ServerEvent, toEventKey, toNotification } from "../contract/server-event.ts";
import { CoalescingQueue } from "../lib/async/coalescing-queue.ts";
import type { JsonObject } from "../lib/json.ts";

/** The notifications of server events to one client; an event that still waits is sent once. */
export class ChangeNotifier {
  readonly #queue: CoalescingQueue<ServerEvent>;

  /** Nothing is sent before `first` has settled. */
  constructor(
    send: (method: string, params: JsonObject) => Promise<void>,
    onFailure: (error: Error) => void,
    first?: Promise<void>,
  ) {
    this.#queue = new CoalescingQueue((event) => send(...toNotification(event)), onFailure, first);
  }

  notify(event: ServerEvent): void {
    this.#queue.add(toEventKey(event), event);
  }

  /** Settles when nothing waits. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }
}
