import { runLater } from "../../lib/async/timers.ts";
import type { ServerEvent } from "../messages.ts";

const everyMs = 100;
const mostEvents = 200;

/** Sends pages the newest of the events that a server may send without end, at most ten times a second. */
export class EventFeed {
  readonly #send: (event: ServerEvent) => void;
  #waiting: ServerEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (event: ServerEvent) => void) {
    this.#send = send;
  }

  add(event: ServerEvent): void {
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
