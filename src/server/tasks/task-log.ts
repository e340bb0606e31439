import type { JsonObject } from "../../lib/json.ts";
import { type EventStore, type StoredEvent, streamStart } from "../../state/state.ts";
import { StreamTail, type TailParts } from "../../state/stream-tail.ts";

/** The time for which a message waits for its readers. */
const keptMs = 600_000;
/** The messages of one run, and their characters; more are dropped. */
const maxMessages = 1_000;
const maxChars: number = 256 * 1024;

/** The log messages of one run of a task. Those that the run before has written, and a replay repeats, are passed over. */
export class TaskLogWriter {
  readonly #events: EventStore;
  readonly #stream: string;
  readonly #written: number;
  #count = 0;
  #chars = 0;

  constructor(events: EventStore, taskId: string, written: number) {
    this.#events = events;
    this.#stream = toStream(taskId);
    this.#written = written;
  }

  /** The number of messages so far, with those of the runs before. */
  get count(): number {
    return this.#count;
  }

  async write(message: JsonObject): Promise<void> {
    this.#count++;
    if (this.#count <= this.#written || this.#count > this.#written + maxMessages) return;
    const text = JSON.stringify(message);
    this.#chars += text.length;
    if (this.#chars > maxChars) return;
    try {
      await this.#events.append(this.#stream, [text], keptMs);
    } catch {
      // A lost message does not matter to the work.
    }
  }
}

/** The log of a task as somebody sees it who waits for the task, whichever node writes it. */
export class TaskLogReader {
  readonly #events: EventStore;
  readonly #stream: string;
  readonly #onMessage: (message: JsonObject) => void;
  #tail: StreamTail | undefined;

  constructor(events: EventStore, taskId: string, onMessage: (message: JsonObject) => void) {
    this.#events = events;
    this.#stream = toStream(taskId);
    this.#onMessage = onMessage;
  }

  start(): void {
    const parts: TailParts = {
      events: this.#events,
      stream: this.#stream,
      onEvents: (events) => {
        for (const event of events) this.#report(event);
      },
      // The next look tries again.
      onFailure: () => {},
    };
    this.#tail ??= new StreamTail(parts, streamStart);
  }

  #report(event: StoredEvent): void {
    try {
      this.#onMessage(JSON.parse(event.text) as JsonObject);
    } catch {
      // A message of a newer node, which this one can't read, is lost; it must not keep those after it from the reader.
    }
  }

  /** Reads what is left, if it was started. A store that is away keeps nobody from the result. */
  async finish(): Promise<void> {
    await this.#tail?.catchUp().catch(() => {});
  }

  stop(): void {
    this.#tail?.close();
  }
}

/** Each log has a holder of its own where a store shares its room between holders. */
function toStream(taskId: string): string {
  return `task-log/${taskId}/messages`;
}
