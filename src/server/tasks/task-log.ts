import { startBackgroundTimer } from "../../lib/async/timers.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type EventStore, streamStart } from "../../state/state.ts";

/** The time for which a message waits for its readers. */
const keptMs = 600_000;
/** The messages of one run, and their characters; more are dropped. */
const maxMessages = 1_000;
const maxChars: number = 256 * 1024;
/** Hints get lost: a look each second finds what they missed. */
const lookMs = 1_000;

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
  #stop: (() => void) | undefined;
  #offset = streamStart;
  #reading: Promise<void> | undefined;
  #isDue = false;

  constructor(events: EventStore, taskId: string, onMessage: (message: JsonObject) => void) {
    this.#events = events;
    this.#stream = toStream(taskId);
    this.#onMessage = onMessage;
  }

  start(): void {
    if (this.#stop !== undefined) return;
    const look = () => void this.#read();
    const stopWatching = this.#events.watch(this.#stream, look);
    const timer = startBackgroundTimer(look, lookMs);
    this.#stop = () => {
      stopWatching();
      clearInterval(timer);
    };
    look();
  }

  /** Reads what is left, if it was started, and stops. */
  async finish(): Promise<void> {
    if (this.#stop !== undefined) await this.#read();
    this.stop();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #read(): Promise<void> {
    this.#isDue = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#isDue) {
        this.#isDue = false;
        for (const { offset, text } of await this.#next()) {
          this.#offset = offset;
          this.#onMessage(JSON.parse(text) as JsonObject);
        }
      }
    } catch {
      // The store is away; the next look tries again.
    }
  }

  /** A log that has expired begins again. */
  async #next() {
    const next = await this.#events.after(this.#stream, this.#offset);
    return next ?? (await this.#events.after(this.#stream, streamStart)) ?? [];
  }
}

/** Each log has a holder of its own where a store shares its room between holders. */
function toStream(taskId: string): string {
  return `task-log/${taskId}/messages`;
}
