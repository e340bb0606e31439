import { startBackgroundTimer } from "../../lib/async/timers.ts";
import { Listeners } from "../sql/listeners.ts";
import { fromStoredText } from "../sql/stored-text.ts";
import type { Database } from "./database.ts";

/** The time between two looks for the changes of other processes, while somebody listens. */
const lookEveryMs = 50;

/** Notifies listeners of new events and of changed tasks: at once of those of this process, soon of those of others. */
export class Changes {
  readonly #database: Database;
  readonly #streams = new Listeners<void>();
  readonly #tasks = new Listeners<string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Changes whenever another connection commits. */
  #dataVersion = 0;
  #lastPlace = 0;
  #lastTick = 0;
  /** The changes of tasks by this process since the last look: their listeners know. */
  readonly #own = new Set<number>();

  constructor(database: Database) {
    this.#database = database;
  }

  watchStream(name: string, listener: () => void): () => void {
    return this.#listen(this.#streams.add(name, listener));
  }

  onTask(listener: (id: string) => void): () => void {
    return this.#listen(this.#tasks.add("", listener));
  }

  appended(stream: string): void {
    this.#streams.call(stream);
  }

  /** `tick` is the place of the change among all changes. */
  taskChanged(id: string, tick: number): void {
    if (this.#timer) this.#own.add(tick);
    this.#tasks.call("", id);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #listen(stop: () => void): () => void {
    if (this.#timer === undefined) {
      this.#dataVersion = this.#readDataVersion();
      this.#lastPlace = this.#readLastPlace();
      this.#lastTick = this.#readLastTick();
      this.#timer = startBackgroundTimer(() => this.#look(), lookEveryMs);
    }
    return () => {
      stop();
      if (this.#streams.size + this.#tasks.size === 0) this.close();
    };
  }

  #look(): void {
    try {
      const dataVersion = this.#readDataVersion();
      if (dataVersion === this.#dataVersion) return this.#skipOwn();
      this.#dataVersion = dataVersion;
      this.#lookAtStreams();
      this.#lookAtTasks();
    } catch {
      // A hint may be lost; the next call of a store reports what is wrong with the file.
    }
  }

  /** Nobody else has changed anything, so that every change up to the last of ours is ours. */
  #skipOwn(): void {
    for (const tick of this.#own) this.#lastTick = Math.max(this.#lastTick, tick);
    this.#own.clear();
  }

  #lookAtStreams(): void {
    const since = this.#lastPlace;
    this.#lastPlace = this.#readLastPlace();
    if (this.#streams.size === 0) return;
    const changed = this.#database.all<{ name: string }>(
      "SELECT name FROM streams WHERE id IN (SELECT stream_id FROM events WHERE place > ?)",
      [since],
    );
    for (const { name } of changed) this.#streams.call(name);
  }

  #lookAtTasks(): void {
    const changed = this.#database.all<{ id: string; changed: number }>(
      "SELECT id, changed FROM tasks WHERE changed > ? ORDER BY changed",
      [this.#lastTick],
    );
    this.#lastTick = changed.at(-1)?.changed ?? this.#lastTick;
    const others = changed.filter((task) => !this.#own.has(task.changed));
    this.#own.clear();
    for (const { id } of others) this.#tasks.call("", fromStoredText(id));
  }

  #readDataVersion(): number {
    return this.#database.first<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
  }

  #readLastPlace(): number {
    const row = this.#database.first<{ seq: number }>(
      "SELECT seq FROM sqlite_sequence WHERE name = 'events'",
    );
    return row?.seq ?? 0;
  }

  #readLastTick(): number {
    return this.#database.first<{ tick: number }>("SELECT tick FROM clock")?.tick ?? 0;
  }
}
