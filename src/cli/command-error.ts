import type { ExitCode } from "./exit-code.ts";

/** An end of the command that it foresaw: a message for the user, the exit code, and what to do. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, exitCode: ExitCode, options: ErrorOptions & { readonly hint?: string } = {}) {
    super(message, options);
    this.name = "CommandError";
    this.exitCode = exitCode;
    this.hint = options.hint;
  }
}
