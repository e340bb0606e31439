import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { ConnectionClosedError, ProcessError } from "../../errors.ts";
import { settlesWithin } from "../../lib/wait-at-most.ts";
import { LineReader } from "../framing/line-reader.ts";
import { LineWriter } from "../framing/line-writer.ts";
import { lastErrorLine } from "./last-error-line.ts";
import { type ProcessExit, ProcessTree, type ShutdownDelays } from "./process-tree.ts";
import type { StderrLines } from "./stderr-lines.ts";

/** A child that was started with pipes, and leads a process group of its own where there are any. */
export interface StartedChild {
  readonly name: string;
  readonly pid: number;
  readonly process: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Undefined when stderr was not to be read. */
  readonly stderr: StderrLines | undefined;
}

export interface ChildPipeOptions extends ShutdownDelays {
  readonly maxMessageBytes?: number | undefined;
}

/** How long output that others hold open is read after the child has exited. */
const restMs = 500;
/** How long a child may take to exit after it closed one of its pipes. */
const exitMs = 500;

/** The client's end of stdio: a child process. */
export class ChildPipe implements Pipe {
  readonly kind = "stdio";
  readonly #child: StartedChild;
  readonly #options: ChildPipeOptions;
  readonly #tree: ProcessTree;
  readonly #writer: LineWriter;
  readonly #reason: Promise<Error | undefined>;
  #sink: PipeSink | undefined;
  #reader: LineReader | undefined;
  #settleReason: (reason?: Error) => void = () => {};
  #chunks = 0;
  #letGo: Promise<void> | undefined;

  constructor(child: StartedChild, options: ChildPipeOptions) {
    this.#child = child;
    this.#options = options;
    this.#reason = new Promise((resolve) => {
      this.#settleReason = resolve;
    });
    this.#tree = new ProcessTree(child.process, child.pid);
    this.#writer = new LineWriter({
      send: (text, done) => void child.stdin.write(text, done),
      onFailure: (reason) => void this.#onHalfClosed(reason),
    });
    child.stdin.on("error", (error) => this.#writer.fail(error));
  }

  start(sink: PipeSink): void {
    const { stdout, process } = this.#child;
    this.#sink = sink;
    this.#reader = new LineReader(sink, { maxMessageBytes: this.#options.maxMessageBytes, noise: "skip" });
    process.stderr?.on("data", () => this.#chunks++);
    stdout.on("data", (chunk: Buffer) => {
      this.#chunks++;
      this.#reader?.push(chunk);
    });
    stdout.on("error", (error) => void this.#onHalfClosed(error));
    stdout.once("end", () => void this.#onHalfClosed());
    void this.#tree.exit.then((exit) => this.#onExit(exit));
  }

  write(text: string): void | Promise<void> {
    const room = this.#writer.write(text);
    return room === undefined ? undefined : room.catch((error: unknown) => this.#explain(error));
  }

  close(): Promise<void> {
    this.#finish();
    return this.#end();
  }

  /** How the child ended says more than that it could not be written to. */
  async #explain(error: unknown): Promise<never> {
    throw (await this.#reason) ?? error;
  }

  async #onExit(exit: ProcessExit): Promise<void> {
    await this.#readRest();
    this.#finish(toProcessError(this.#child, exit));
    await this.#end();
  }

  /** A child that closes one of its pipes is about to exit, as a rule, and then its exit tells more. */
  async #onHalfClosed(cause?: Error): Promise<void> {
    if (await settlesWithin(exitMs, this.#tree.exit)) return;
    const what = `The process "${this.#child.name}" has not exited, but does not read or write any more.`;
    this.#finish(new ConnectionClosedError(what, { cause }));
    await this.#end();
  }

  /**
   * Reads what the child has written before it exited. Others may hold its output open,
   * so that it never ends; it is read to the end when a whole round of polling brings
   * nothing.
   */
  async #readRest(): Promise<void> {
    const deadline = Date.now() + restMs;
    let before = -1;
    while (
      this.#sink &&
      !this.#child.stdout.readableEnded &&
      before !== this.#chunks &&
      Date.now() < deadline
    ) {
      before = this.#chunks;
      await setImmediate();
      await setImmediate();
    }
  }

  #finish(reason?: Error): void {
    this.#settleReason(reason);
    const sink = this.#sink;
    this.#sink = undefined;
    if (sink === undefined) return;
    if (reason) this.#reader?.end();
    this.#reader?.stop();
    sink.onClose(reason);
  }

  #end(): Promise<void> {
    this.#letGo ??= this.#endChild();
    return this.#letGo;
  }

  async #endChild(): Promise<void> {
    const { stdin, stdout, process } = this.#child;
    void this.#writer.flushed().then(() => stdin.end());
    // A child that can't write does not get to its exit.
    stdout.resume();
    await this.#tree.end(this.#options);
    for (const stream of [stdin, stdout, process.stderr]) stream?.destroy();
  }
}

function toProcessError({ name, stderr }: StartedChild, exit: ProcessExit): ProcessError {
  const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.exitCode}`;
  const lines = stderr?.last ?? [];
  const why = lastErrorLine(lines);
  const hint = why ? `: ${why} (more of its stderr is in "stderr" of this error)` : "";
  return new ProcessError(`The process "${name}" ${how}${hint}.`, { ...exit, stderr: lines });
}
