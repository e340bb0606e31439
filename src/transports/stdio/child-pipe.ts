import { setImmediate } from "node:timers/promises";
import { toCancelled } from "../../contract/cancelled-error.ts";
import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { ConnectionClosedError, ProcessError } from "../../errors.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import { LinePacer } from "../framing/line-pacer.ts";
import { LineReader } from "../framing/line-reader.ts";
import { LineWriter } from "../framing/line-writer.ts";
import { StrayOutput } from "../framing/stray-output.ts";
import { trackChild, untrackChild } from "./child-registry.ts";
import { lastErrorLine, type RepeatedStderrFilter } from "./child-stderr.ts";
import { type ExitStatus, ProcessTree, type ShutdownDelays } from "./process-tree.ts";
import { type StartedChild, startChild } from "./start-child.ts";
import type { StdioCommand } from "./stdio-command.ts";

const defaultDelayMs = 1_500;
/** Time to read output that other processes hold open, after the child has exited. */
const remainderMs = 500;
/** The last lines of stderr that an error shows. */
const shownLines = 5;
/** Time for a child to exit after it closed one of its pipes. */
const exitMs = 500;

interface ChildPipeOptions extends ShutdownDelays {
  readonly maxMessageBytes?: number | undefined;
}

/** Starts a command and opens the pipe to it. The child ends with this process at the latest. */
export async function openChildPipe(
  command: StdioCommand,
  signal?: AbortSignal,
  repeated?: RepeatedStderrFilter,
): Promise<Pipe> {
  if (signal?.aborted) throw toCancelled("Connecting", signal.reason);
  const { closeMs = defaultDelayMs, termMs = defaultDelayMs } = command.shutdown ?? {};
  const child = await startChild(command, repeated);
  const tree = new ProcessTree(child.process, child.pid);
  trackChild(tree);
  return new ChildPipe(child, tree, { closeMs, termMs, maxMessageBytes: command.maxMessageBytes });
}

/** The client's end of stdio: a child process. */
class ChildPipe implements Pipe {
  readonly kind = "stdio";
  readonly coalescesWrites = true;
  readonly #child: StartedChild;
  readonly #tree: ProcessTree;
  readonly #options: ChildPipeOptions;
  readonly #writer: LineWriter;
  readonly #reason: Promise<Error | undefined>;
  readonly started: Promise<void>;
  #sink: PipeSink | undefined;
  #reader: LineReader | undefined;
  #strayOutput: StrayOutput | undefined;
  #settleReason: (reason?: Error) => void = () => {};
  #onOutput: () => void = () => {};
  #chunks = 0;
  /** The first message to the child, until the child has written something. */
  #firstSent: string | undefined;
  #hasRead = false;
  #ending: Promise<void> | undefined;

  constructor(child: StartedChild, tree: ProcessTree, options: ChildPipeOptions) {
    this.#child = child;
    this.#tree = tree;
    this.#options = options;
    this.#reason = new Promise((resolve) => {
      this.#settleReason = resolve;
    });
    this.started = new Promise((resolve) => {
      this.#onOutput = resolve;
    });
    this.#writer = new LineWriter({
      send: (text, done) => void child.stdin.write(text, done),
      onFailure: (reason) => void this.#onHalfClosed(reason),
    });
    child.stdin.on("error", (error) => this.#writer.fail(error));
  }

  start(sink: PipeSink): void {
    const { stdout, process } = this.#child;
    this.#sink = sink;
    const { maxMessageBytes } = this.#options;
    const strayOutput = new StrayOutput((text) => sink.onStrayOutput(text));
    const reader = new LineReader(sink, { maxMessageBytes, strayOutput });
    const pacer = new LinePacer(stdout);
    this.#reader = reader;
    this.#strayOutput = strayOutput;
    process.stderr?.on("data", () => this.#countChunk());
    stdout.on("data", (chunk: Buffer) => {
      this.#countChunk();
      if (this.#isEcho(chunk)) return this.#onEcho();
      reader.push(chunk);
      pacer.onChunk(reader.linesRead);
    });
    stdout.on("error", (error) => void this.#onHalfClosed(error));
    stdout.once("end", () => void this.#onHalfClosed());
    void this.#tree.exit.then((exit) => this.#onExit(exit));
  }

  write(text: string): void | Promise<void> {
    if (!this.#hasRead) this.#firstSent ??= text;
    const room = this.#writer.write(text);
    return room === undefined ? undefined : room.catch((error: unknown) => this.#explain(error));
  }

  close(): Promise<void> {
    this.#finish();
    return this.#end();
  }

  explainSilence(): ProcessError | undefined {
    if (this.#sink === undefined) return undefined;
    const { name, stderr } = this.#child;
    const lines = stderr?.last ?? [];
    const shown = lines.slice(-shownLines).map((line) => `\n  ${line}`);
    const end = lines.length > 0 ? `Its stderr ends with:${shown.join("")}` : "Its stderr is empty.";
    const exit = { exitCode: null, signal: null, stderr: lines };
    const stray = this.#strayOutput?.first;
    const printed =
      stray === undefined
        ? ""
        : `It prints ${JSON.stringify(stray)} to its stdout, where only messages may be; logs belong to stderr. `;
    return new ProcessError(`The process "${name}" is running, but does not answer. ${printed}${end}`, exit);
  }

  /** True for the first output of a program that is no server, such as `cat`, or of a terminal in between. */
  #isEcho(chunk: Buffer): boolean {
    const sent = this.#firstSent;
    this.#hasRead = true;
    this.#firstSent = undefined;
    return sent !== undefined && chunk.toString().startsWith(sent.trimEnd());
  }

  #onEcho(): void {
    const { name, stderr } = this.#child;
    const what = `The process "${name}" sends back what it is sent: it is no MCP server, or a terminal stands before it.`;
    this.#finish(new ProcessError(what, { exitCode: null, signal: null, stderr: stderr?.last ?? [] }));
    void this.#end();
  }

  #countChunk(): void {
    if (this.#chunks++ === 0) this.#onOutput();
  }

  /** Replaces a failed write by the exit of the child, which explains more. */
  async #explain(error: unknown): Promise<never> {
    throw (await this.#reason) ?? error;
  }

  async #onExit(exit: ExitStatus): Promise<void> {
    await this.#readRemainder();
    this.#finish(toProcessError(this.#child, exit));
    await this.#end();
  }

  /** Waits for the exit of a child that closed one of its pipes: it usually follows, and explains more. */
  async #onHalfClosed(cause?: Error): Promise<void> {
    if (await settlesWithin(exitMs, this.#tree.exit)) return;
    const what = `The process "${this.#child.name}" is still running, but no longer reads or writes.`;
    this.#finish(new ConnectionClosedError(what, { cause }));
    await this.#end();
  }

  /**
   * Reads what the child wrote before it exited.
   *
   * Other processes may hold its output open, so that it never ends. It counts as read
   * when a whole round of polling brings nothing.
   */
  async #readRemainder(): Promise<void> {
    const deadline = Date.now() + remainderMs;
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
    this.#ending ??= this.#endChild();
    return this.#ending;
  }

  async #endChild(): Promise<void> {
    const { stdin, stdout, process } = this.#child;
    void this.#writer.flushed().then(() => stdin.end());
    // A child whose output is full can't get to its exit.
    stdout.resume();
    await this.#tree.end(this.#options);
    untrackChild(this.#tree);
    for (const stream of [stdin, stdout, process.stderr]) stream?.destroy();
  }
}

function toProcessError({ name, stderr }: StartedChild, exit: ExitStatus): ProcessError {
  const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.exitCode}`;
  const lines = stderr?.last ?? [];
  const why = lastErrorLine(lines);
  const hint = why ? `: ${why} (more of its stderr is in "stderr" of this error)` : "";
  return new ProcessError(`The process "${name}" ${how}${hint}.`, { ...exit, stderr: lines });
}
