import { startBackgroundTimer } from "./timers.ts";

/** A connection that can send a sign of life. */
export interface HeartbeatTarget {
  beat(): void;
}

/** One timer that makes all open connections send a sign of life. */
export class Heartbeat {
  readonly #connections = new Set<HeartbeatTarget>();
  readonly #everyMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  add(connection: HeartbeatTarget): void {
    this.#connections.add(connection);
    this.#timer ??= startBackgroundTimer(() => this.#beat(), this.#everyMs);
  }

  remove(connection: HeartbeatTarget): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beat(): void {
    for (const connection of this.#connections) connection.beat();
  }
}
