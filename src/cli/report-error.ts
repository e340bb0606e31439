import { CommandError } from "./command-error.ts";
import { toCommandWords } from "./command-words.ts";
import { toExitCode } from "./error-exit-code.ts";
import { ExitCode } from "./exit-code.ts";
import { describeFileFailure, isFileFailure } from "./file-failure.ts";
import { escapeText } from "./show/escape.ts";
import type { Terminal } from "./terminal/terminal.ts";

export interface ReportOptions {
  readonly debug?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Shows the user why the command ends, and returns its exit code. Stack traces are for `--debug`. */
export function reportError(error: unknown, terminal: Terminal, options: ReportOptions): ExitCode {
  const exitCode = terminal.signal.aborted ? ExitCode.interrupted : toExitCode(error);
  if (exitCode === ExitCode.interrupted && !options.debug) return exitCode;
  const message = escapeText(messageOf(error));
  const hint = hintFor(error, exitCode);
  if (options.json) {
    terminal.note(JSON.stringify({ error: { message, exitCode, ...codeOf(error), ...(hint && { hint }) } }));
  } else {
    terminal.note(`${terminal.notePaint.red("error:")} ${message}`);
    if (hint) terminal.note(hint);
  }
  if (options.debug && error instanceof Error) terminal.note(escapeText(stackOf(error)));
  return exitCode;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // `fetch` hides the reason in the cause.
  if (error.message === "fetch failed" && cause instanceof Error)
    return `No connection: ${cause.message || cause}`;
  return isFileFailure(error) ? describeFileFailure(error) : toCommandWords(error);
}

function hintFor(error: unknown, exitCode: ExitCode): string | undefined {
  if (error instanceof CommandError) return error.hint;
  if (isFileFailure(error)) return "Check the path, its permissions, and the room on the disk.";
  if (exitCode === ExitCode.internal) return "This is a fault of allspeak; --debug shows where.";
  return undefined;
}

function codeOf(error: unknown): { readonly code?: string; readonly wireCode?: number } {
  if (error instanceof CommandError && error.cause !== undefined) return codeOf(error.cause);
  if (!(error instanceof Error) || !("code" in error)) return {};
  const wireCode = "wireCode" in error && typeof error.wireCode === "number" ? error.wireCode : undefined;
  return { code: String(error.code), ...(wireCode !== undefined && { wireCode }) };
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by ${stackOf(error.cause)}` : own;
}
