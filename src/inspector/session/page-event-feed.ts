import { runLater } from "../../lib/async/timers.ts";
import type { PageEvent } from "../messages.ts";

const everyMs = 100;
const mostEvents = 200;

/** Sends pages the newest of the events that a server may send without end, at most ten times a second. */
export class PageEventFeed {
  readonly #send: (event: PageEvent) => void;
  #waiting: PageEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (event: PageEvent) => void) {
    this.#send = send;
  }

  add(event: PageEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length > mostEvents) this.#waiting.shift();
    this.#timer ??= runLater(() => this.#flush(), everyMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    for (const event of this.#waiting.splice(0)) this.#send(event);
  }
}
