import { McpError } from "./mcp-error.ts";

/** A request beyond a limit of the server; a later retry may succeed. */
export class OverloadedError extends McpError {
  readonly code = "overloaded";
  /** The time after which there is room again, where it is known. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The error of a store that does not answer; a later retry may succeed. */
export class StoreUnavailableError extends OverloadedError {}
