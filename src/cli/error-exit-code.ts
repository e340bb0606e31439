import { CommandError } from "./command-error.ts";
import { ExitCode } from "./exit-code.ts";
import { isFileFailure } from "./file-failure.ts";

/** The exit code of each error of the library, by its `code`. */
const byErrorCode: Readonly<Record<string, ExitCode>> = {
  rpc: ExitCode.refused,
  "connection-closed": ExitCode.unreachable,
  "call-lost": ExitCode.unreachable,
  authorization: ExitCode.unauthorized,
  "insufficient-scope": ExitCode.unauthorized,
  timeout: ExitCode.timeout,
  cancelled: ExitCode.interrupted,
  "capability-missing": ExitCode.refused,
  "not-in-revision": ExitCode.refused,
  "unsupported-revision": ExitCode.unreachable,
  "invalid-response": ExitCode.refused,
  "message-too-large": ExitCode.refused,
  process: ExitCode.unreachable,
  "consent-refused": ExitCode.declined,
  "tool-held": ExitCode.declined,
  "url-elicitation-required": ExitCode.declined,
  overloaded: ExitCode.refused,
  registration: ExitCode.usage,
  usage: ExitCode.usage,
};

export function toExitCode(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (!(error instanceof Error)) return ExitCode.internal;
  if (isFileFailure(error)) return ExitCode.usage;
  if ("status" in error && "code" in error && error.code === "http") {
    return error.status === 401 || error.status === 403 ? ExitCode.unauthorized : ExitCode.unreachable;
  }
  if ("code" in error && typeof error.code === "string") {
    const known = byErrorCode[error.code];
    if (known !== undefined) return known;
    if (/^(?:E[A-Z]+|UND_ERR_\w+)$/.test(error.code)) return ExitCode.unreachable;
  }
  if (error.name === "AbortError") return ExitCode.interrupted;
  // `fetch` throws it when there is no connection; its cause has the code.
  return error.cause !== undefined && error.cause !== error ? toExitCode(error.cause) : ExitCode.internal;
}
