import { ConnectionClosedError } from "../../errors.ts";

export interface LineWriterOptions {
  /** Hands text to the stream; `done` is called once it is out of our hands, or lost. */
  readonly send: (text: string, done: (error?: Error | null) => void) => void;
  /** Writing failed for good; called once. */
  readonly onFailure: (reason: ConnectionClosedError) => void;
  /** From how many unsent characters on writers are asked to wait. */
  readonly highWaterMark?: number;
  /** How many unsent characters end the connection: the writers did not wait, and the reader is stuck. */
  readonly maxUnsent?: number;
}

const defaultRoom = 1024 * 1024;
const defaultMaxUnsent = 256 * 1024 * 1024;

/**
 * Writes lines, all those of one turn of the event loop in one piece.
 *
 * One piece is under way at a time; what is written meanwhile makes up the next.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #room: number;
  readonly #maxUnsent: number;
  #queue: string[] = [];
  #queued = 0;
  #sending = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #waiting: Gate | undefined;
  #idle: Gate | undefined;
  #failure: ConnectionClosedError | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
    this.#room = options.highWaterMark ?? defaultRoom;
    this.#maxUnsent = options.maxUnsent ?? defaultMaxUnsent;
  }

  /** A promise only when the reader is behind: it settles once there is room, or rejects with the reason. */
  write(line: string): void | Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#queue.push(line);
    this.#queued += line.length + 1;
    // Replies of asynchronous handlers come some microtasks later: an immediate gathers these as well.
    if (this.#sending === 0) this.#scheduled ??= setImmediate(this.#flush);
    const unsent = this.#queued + this.#sending;
    if (unsent <= this.#room) return;
    if (unsent > this.#maxUnsent)
      this.fail(new Error(`${unsent} characters wait for a reader that is stuck.`));
    this.#waiting ??= createGate();
    if (this.#failure) this.#waiting.reject(this.#failure);
    return this.#waiting.promise;
  }

  /** Resolves once nothing is left to write, or nothing can be written any more. */
  flushed(): Promise<void> {
    if (this.#failure || this.#queued + this.#sending === 0) return Promise.resolve();
    this.#idle ??= createGate();
    return this.#idle.promise;
  }

  /** Rejects everybody who waits, and all that is written later. Safe to call twice. */
  fail(cause: unknown): void {
    if (this.#failure) return;
    this.#failure = new ConnectionClosedError("The other side does not read any more.", { cause });
    clearImmediate(this.#scheduled);
    this.#queue = [];
    this.#queued = 0;
    this.#waiting?.reject(this.#failure);
    this.#idle?.resolve();
    this.#options.onFailure(this.#failure);
  }

  readonly #flush = (): void => {
    this.#scheduled = undefined;
    if (this.#failure || this.#queue.length === 0) return;
    this.#queue.push("");
    const text = this.#queue.join("\n");
    this.#queue = [];
    this.#sending = this.#queued;
    this.#queued = 0;
    this.#options.send(text, this.#onSent);
  };

  readonly #onSent = (error?: Error | null): void => {
    this.#sending = 0;
    if (error) this.fail(error);
    if (this.#queued <= this.#room) this.#waiting = settle(this.#waiting);
    if (this.#queued > 0) this.#flush();
    else this.#idle = settle(this.#idle);
  };
}

interface Gate {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

function createGate(): Gate {
  let resolve = (): void => {};
  let reject = (_reason: Error): void => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Whoever wrote hears of the failure; when nobody looks, the closing of the pipe tells.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function settle(gate: Gate | undefined): undefined {
  gate?.resolve();
}
