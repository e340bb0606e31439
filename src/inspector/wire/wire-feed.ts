import { runLater } from "../../lib/async/timers.ts";
import type { WireEvents } from "../messages/wire.ts";
import type { WireLog } from "./wire-log.ts";

const everyMs = 100;
const mostEntries = 200;

/** Notifies pages of new entries, at most ten times a second. */
export class WireFeed {
  readonly #log: WireLog;
  readonly #send: (event: WireEvents["wire"]) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sentUpTo = 0;

  constructor(log: WireLog, send: (event: WireEvents["wire"]) => void) {
    this.#log = log;
    this.#send = send;
  }

  onAppend(): void {
    this.#timer ??= runLater(() => this.#flush(), everyMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    const entries = this.#log.entriesAfter(this.#sentUpTo, mostEntries);
    this.#sentUpTo = this.#log.lastSeq;
    this.#send({ entries, totals: this.#log.totals });
  }
}
