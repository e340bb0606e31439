import { OverloadedError } from "../../../errors.ts";
import { afterAwake, runLater } from "../../../lib/async/timers.ts";
import type { Open, RedisConnection } from "./connection.ts";
import { Reopening } from "./reopening.ts";

/** Commands that may wait for their answers. */
const maxWaiting = 10_000;

/** The time in which an open connection must bring some answer while commands wait; one without any is lost. */
const stallMs = 1_000;

/** Commands over one connection, which keeps the process alive only while answers are awaited. */
export class Commands {
  readonly #connection: Reopening<RedisConnection>;
  #waiting = 0;
  /** Counts the answers, so that a connection that stands still is noticed. */
  #answers = 0;
  #isWatched = false;

  constructor(open: Open<RedisConnection>) {
    this.#connection = new Reopening(open, { onMessage: () => {}, onClose: () => {} });
  }

  send(args: readonly string[]): Promise<unknown> {
    if (this.#waiting >= maxWaiting)
      return Promise.reject(
        new OverloadedError(`${maxWaiting} commands wait for Redis; it is slow, or away.`),
      );
    const connection = this.#connection.current;
    this.#begin(connection);
    const answer = connection
      ? connection.command(args)
      : this.#connection.open().then((opened) => {
          opened.hold(true);
          return opened.command(args);
        });
    return answer.then(this.#onAnswer, this.#onError);
  }

  close(): void {
    this.#connection.close();
  }

  #begin(connection: RedisConnection | undefined): void {
    if (this.#waiting++ === 0) connection?.hold(true);
    if (!this.#isWatched) this.#watch();
  }

  #end(): void {
    this.#answers++;
    if (--this.#waiting === 0) this.#connection.current?.hold(false);
  }

  readonly #onAnswer = (answer: unknown): unknown => {
    this.#end();
    return answer;
  };

  readonly #onError = (error: unknown): never => {
    this.#end();
    throw toStoreError(error);
  };

  /** Looks now and then, because a timer for each command would cost more than the command. */
  #watch(): void {
    this.#isWatched = true;
    const answers = this.#answers;
    const connection = this.#connection.current;
    const look = () => {
      this.#isWatched = false;
      if (this.#waiting === 0) return;
      if (this.#answers === answers && this.#connection.current === connection) connection?.close();
      this.#watch();
    };
    afterAwake(stallMs, look, runLater);
  }
}

function toStoreError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // That of `ioredis`, which may hold the password, or what was to be stored. Errors are logged.
  Reflect.deleteProperty(error, "command");
  if (error.message.startsWith("OOM "))
    return new OverloadedError(
      "Redis is full: raise maxmemory, or let sessions, events and tasks expire earlier.",
      { cause: error },
    );
  return error;
}
