import type { Readable, Writable } from "node:stream";
import { type OwnStdout, ownStdout } from "./own-stdout.ts";
import { createPaint, type Paint } from "./paint.ts";

type MaybeTty = { readonly isTTY?: boolean; readonly columns?: number };

/** A line at the end of standard error that changes. */
interface StatusLine {
  clear(): void;
}

/** The streams, environment and folder that a run of the command may use. Tests give their own. */
export interface Streams {
  readonly stdin: Readable & MaybeTty;
  readonly stdout: Writable & MaybeTty;
  readonly stderr: Writable & MaybeTty;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface TerminalOptions {
  readonly noColor?: boolean;
  readonly noInput?: boolean;
}

/**
 * The streams of a run. Answers go to standard output; everything beside them, questions too,
 * goes to standard error.
 */
export class Terminal {
  #streams: Streams;
  #ownStdout: OwnStdout<Streams["stdout"]> | undefined;
  /** The colours of standard output. */
  readonly paint: Paint;
  /** The colours of standard error. */
  readonly notePaint: Paint;
  /** True when a person can be asked. */
  readonly canAsk: boolean;
  #progress: StatusLine | undefined;

  constructor(streams: Streams, options: TerminalOptions = {}) {
    const { stdin, stdout, stderr, env } = streams;
    const isPlain = options.noColor === true || Boolean(env.NO_COLOR) || env.TERM === "dumb";
    this.#streams = streams;
    this.paint = createPaint(!isPlain && (stdout.isTTY === true || Boolean(env.FORCE_COLOR)));
    this.notePaint = createPaint(!isPlain && stderr.isTTY === true);
    this.canAsk = options.noInput !== true && stdin.isTTY === true && stderr.isTTY === true;
  }

  get streams(): Streams {
    return this.#streams;
  }

  /** Keeps standard output for the command, until the close, before foreign code is loaded into this process. */
  ownStdout(): void {
    if (this.#ownStdout) return;
    this.#ownStdout = ownStdout(this.#streams.stdout, this.#streams.stderr);
    this.#streams = { ...this.#streams, stdout: this.#ownStdout.stream };
  }

  get signal(): AbortSignal {
    return this.streams.signal;
  }

  /** The width of standard output. Where no terminal shows it, nothing needs to be cut. */
  get width(): number {
    const { isTTY, columns } = this.streams.stdout;
    return isTTY ? Math.min(columns || 100, 160) : Number.POSITIVE_INFINITY;
  }

  /** Writes lines to standard output. */
  print(text: string): void {
    this.#progress?.clear();
    this.streams.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** Writes a value for machines. */
  printJson(value: unknown): void {
    this.print(JSON.stringify(value, undefined, 2) ?? "null");
  }

  /** Writes lines to standard error. */
  note(text: string): void {
    this.#progress?.clear();
    this.streams.stderr.write(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** Keeps the last line of standard error for progress; other output clears it first. */
  useProgress(progress: StatusLine | undefined): void {
    this.#progress?.clear();
    this.#progress = progress;
  }

  close(): void {
    this.useProgress(undefined);
    this.#ownStdout?.restore();
  }
}
