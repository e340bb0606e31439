import { endsWorkWithRequest } from "../runtime.ts";
import { startBackgroundTimer } from "./timers.ts";

/** A connection that can send a sign of life. */
export interface HeartbeatTarget {
  beat(): void;
}

type Timer = ReturnType<typeof setInterval>;

/** Makes all open connections send a sign of life, with one timer; with one for each where timers end with their request. */
export class Heartbeat {
  readonly #connections = new Map<HeartbeatTarget, Timer | undefined>();
  readonly #everyMs: number;
  #timer: Timer | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  add(connection: HeartbeatTarget): void {
    if (endsWorkWithRequest) {
      this.#connections.set(
        connection,
        startBackgroundTimer(() => connection.beat(), this.#everyMs),
      );
      return;
    }
    this.#connections.set(connection, undefined);
    this.#timer ??= startBackgroundTimer(() => this.#beat(), this.#everyMs);
  }

  remove(connection: HeartbeatTarget): void {
    clearInterval(this.#connections.get(connection));
    this.#connections.delete(connection);
  }

  /** Stops the timer only when nobody has needed it for a while: calls come and go. */
  #beat(): void {
    if (this.#connections.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const connection of this.#connections.keys()) connection.beat();
  }
}
