import { ConnectionClosedError } from "../../errors.ts";

export interface LineWriterOptions {
  /** Writes text to the stream; `done` is called once it has left this process, or is lost. */
  readonly send: (text: string, done: (error?: Error | null) => void) => void;
  /** Called once, when writing has failed for good. */
  readonly onFailure: (reason: ConnectionClosedError) => void;
  /** The number of unsent characters above which writers are asked to wait. */
  readonly highWaterMark?: number;
  /** The number of unsent characters that ends the connection: the writers did not wait, and the reader is stuck. */
  readonly maxUnsent?: number;
}

const defaultHighWaterMark = 1024 * 1024;
const defaultMaxUnsent = 256 * 1024 * 1024;

/**
 * Writes lines; those of one piece of work, or of one turn of the event loop, leave in one piece.
 *
 * One piece is sent at a time; lines that are written meanwhile form the next.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #highWaterMark: number;
  readonly #maxUnsent: number;
  #queued = "";
  #sending = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #isJoining = false;
  #waiting: Deferred | undefined;
  #idle: Deferred | undefined;
  #failure: ConnectionClosedError | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
    this.#highWaterMark = options.highWaterMark ?? defaultHighWaterMark;
    this.#maxUnsent = options.maxUnsent ?? defaultMaxUnsent;
  }

  /** The number of characters that have not left this process. */
  get unsent(): number {
    return this.#queued.length + this.#sending;
  }

  /** Backpressure: returns a promise only when the reader is behind. It settles once there is room, or rejects with the reason. */
  write(line: string): void | Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    const unsent = this.unsent + line.length + 1;
    // Checked first: a text that is too long to be joined throws.
    if (unsent > this.#maxUnsent) {
      this.#waiting ??= createDeferred();
      this.fail(new Error(`${unsent} characters wait for a reader that is stuck.`));
      return this.#waiting.promise;
    }
    this.#queued += `${line}\n`;
    // Responses of asynchronous handlers come some microtasks later: an immediate includes them.
    if (this.#sending === 0 && !this.#isJoining) this.#scheduled ??= setImmediate(this.#flush);
    if (unsent <= this.#highWaterMark) return;
    this.#waiting ??= createDeferred();
    return this.#waiting.promise;
  }

  /** Sends the lines that some work writes before other work begins, but never from inside the work of a reader. */
  join(work: () => void): void {
    this.#isJoining = true;
    try {
      work();
    } finally {
      this.#isJoining = false;
      if (this.#queued !== "") process.nextTick(this.#flush);
    }
  }

  /** Resolves once everything has been sent, or can't be sent any more. */
  flushed(): Promise<void> {
    if (this.#failure || this.unsent === 0) return Promise.resolve();
    this.#idle ??= createDeferred();
    return this.#idle.promise;
  }

  /** Rejects all waiting and later writes. Safe to call twice. */
  fail(cause: unknown): void {
    if (this.#failure) return;
    this.#failure = new ConnectionClosedError("The other side does not read any more.", { cause });
    clearImmediate(this.#scheduled);
    this.#queued = "";
    this.#waiting?.reject(this.#failure);
    this.#idle?.resolve();
    this.#options.onFailure(this.#failure);
  }

  readonly #flush = (): void => {
    this.#scheduled = undefined;
    if (this.#failure || this.#sending > 0 || this.#queued === "") return;
    const text = this.#queued;
    this.#queued = "";
    this.#sending = text.length;
    this.#options.send(text, this.#onSent);
  };

  readonly #onSent = (error?: Error | null): void => {
    this.#sending = 0;
    if (error) this.fail(error);
    if (this.#queued.length <= this.#highWaterMark) this.#waiting = settle(this.#waiting);
    if (this.#queued !== "") this.#flush();
    else this.#idle = settle(this.#idle);
  };
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

function createDeferred(): Deferred {
  let resolve = (): void => {};
  let reject = (_reason: Error): void => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // A failure reaches the writer; if the writer does not look, the close of the pipe reports it.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function settle(deferred: Deferred | undefined): undefined {
  deferred?.resolve();
}
