import type { Readable } from "node:stream";
import type { StdioCommand } from "./stdio-command.ts";
import { writeStderr } from "./write-stderr.ts";

const maxLines = 20;
const maxKeptLength = 500;
const maxLineLength = 8 * 1024;

/** Splits the stderr of a child into lines, and keeps the last ones, with the last error before them. */
export class StderrLines {
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #decoder = new TextDecoder();
  #last: string[] = [];
  #partial = "";

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** The last lines, oldest first, each cut to a length that suits an error. */
  get last(): readonly string[] {
    return this.#partial.trim() === "" ? this.#last : [...this.#last, cut(this.#partial)].slice(-maxLines);
  }

  push(chunk: Uint8Array): void {
    const lines = (this.#partial + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#partial = lines.pop() ?? "";
    for (const line of lines) this.#add(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (this.#partial.length <= maxLineLength) return;
    this.#add(this.#partial);
    this.#partial = "";
  }

  end(): void {
    if (this.#partial !== "") this.#add(this.#partial);
    this.#partial = "";
  }

  #add(line: string): void {
    if (line.trim() !== "") this.#last.push(cut(line));
    if (this.#last.length > maxLines) this.#dropOldest();
    this.#onLine?.(line);
  }

  /** Drops the oldest line but an error, which explains those after it, until the next error. */
  #dropOldest(): void {
    const [first = "", second = ""] = this.#last;
    this.#last.splice(thrown.test(first) && !thrown.test(second) ? 1 : 0, 1);
  }
}

function cut(line: string): string {
  return line.length > maxKeptLength ? `${line.slice(0, maxKeptLength - 1)}…` : line;
}

const maxRemembered = 8 * 1024;
/** A program that is started again after longer than this is a new attempt. */
const sameAttemptMs = 5_000;

/** Returns the part of a chunk to show, if any. */
export type StderrFilter = (chunk: Buffer) => Buffer | undefined;

/**
 * Suppresses stderr output that repeats the output of the previous start.
 *
 * A server that exits on the first request is started again at once, and would print the same error twice.
 */
export class RepeatedStderrFilter {
  #printed: Buffer = Buffer.alloc(0);
  #startedAt = Number.NEGATIVE_INFINITY;

  /** The filter for a program that has just been started. */
  begin(now: number): StderrFilter {
    const before = now - this.#startedAt <= sameAttemptMs ? this.#printed : Buffer.alloc(0);
    let matched = 0;
    let isRepeating = true;
    this.#startedAt = now;
    this.#printed = Buffer.alloc(0);
    return (chunk) => {
      this.#remember(chunk);
      if (!isRepeating) return chunk;
      const end = matched + chunk.length;
      if (end <= before.length && chunk.equals(before.subarray(matched, end))) {
        matched = end;
        return undefined;
      }
      isRepeating = false;
      return matched === 0 ? chunk : Buffer.concat([before.subarray(0, matched), chunk]);
    };
  }

  #remember(chunk: Buffer): void {
    const room = maxRemembered - this.#printed.length;
    if (room > 0) this.#printed = Buffer.concat([this.#printed, chunk.subarray(0, room)]);
  }
}

/** Reads stderr as `mode` says; returns the lines kept for an error. basic/transports#stdio (2025-11-25) */
export function readStderr(
  stderr: Readable,
  mode: StdioCommand["stderr"],
  filter: StderrFilter,
): StderrLines {
  const kept = new StderrLines();
  const shown = new StderrLines(typeof mode === "function" ? mode : undefined);
  stderr.on("data", (chunk: Buffer) => {
    kept.push(chunk);
    const fresh = filter(chunk);
    if (fresh === undefined) return;
    if (typeof mode === "function") shown.push(fresh);
    if (mode !== undefined && mode !== "inherit") return;
    if (!writeStderr(fresh, () => stderr.resume())) stderr.pause();
  });
  stderr.once("end", () => {
    kept.end();
    shown.end();
  });
  stderr.on("error", () => {});
  return kept;
}

const maxErrorLength = 200;
/** The first line of a thrown error, as Node, Python and others print it, or a program that has caught it. */
const thrown = /(?:^|: )(?:Uncaught )?[\w.]*(?:Error|Exception)\b/;
/** The lines that Node prints after it. */
const aftermath = /^\s*(?:at |\^|[\])}]*[,;]?\s*$|Node\.js v)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be taken out.
const control = /\u001b\[[\d;]*[A-Za-z]|[\u0000-\u001f\u007f-\u009f]+/g;

/** The line of stderr that most likely explains why a process ended: short, and safe to show on a terminal. */
export function lastErrorLine(lines: readonly string[]): string | undefined {
  const line =
    lines.findLast((candidate) => thrown.test(candidate)) ??
    lines.findLast((candidate) => !aftermath.test(candidate)) ??
    lines.at(-1);
  const clean = line?.replace(control, (found) => (found.startsWith("\u001b") ? "" : " ")).trim();
  return clean && clean.length > maxErrorLength ? `${clean.slice(0, maxErrorLength)}…` : clean || undefined;
}
