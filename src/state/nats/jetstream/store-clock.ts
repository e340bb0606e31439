import { Throttle } from "../../../lib/async/throttle.ts";
import type { JetStream } from "./jetstream.ts";

/** The time between two looks at the clock of the server. */
const everyMs = 60_000;
/** Attempts to write where nobody receives it: 10 seconds, within which a cluster chooses a leader of the stream. */
const attempts = 200;

/**
 * The clock of the server, so that nodes whose clocks are wrong agree on what has expired.
 *
 * The server writes the time on each message; this writes one now and then, and reads it.
 */
export class StoreClock {
  readonly #jetstream: JetStream;
  readonly #stream: string;
  readonly #subject: string;
  readonly #due = new Throttle(everyMs);
  /** Milliseconds between the clock of the server and `performance.now()`. */
  #offset = 0;

  constructor(jetstream: JetStream, stream: string, subject: string) {
    this.#jetstream = jetstream;
    this.#stream = stream;
    this.#subject = subject;
  }

  now(): number {
    // Until the next look, clocks drift apart by a few milliseconds at most; a look that fails comes again.
    if (this.#due.isDue()) this.synchronize().catch(() => {});
    return Math.floor(performance.now() + this.#offset);
  }

  async synchronize(): Promise<void> {
    this.#due.isDue();
    const before = performance.now();
    await this.#jetstream.publish(this.#subject, "", { attempts });
    const after = performance.now();
    const message = await this.#jetstream.last(this.#stream, this.#subject);
    if (message) this.#offset = message.time - (before + after) / 2;
  }
}
