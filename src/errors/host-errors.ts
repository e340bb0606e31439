import { McpError } from "./mcp-error.ts";

/** A server of a host that could not be started, or was lost; it is started again after a pause. */
export class ServerUnavailableError extends McpError {
  readonly code = "server-unavailable";
  /** The name of the server in the host's configuration. */
  readonly server: string;
  /** The time before the next attempt, in milliseconds. */
  readonly retryAfterMs: number;

  constructor(server: string, retryAfterMs: number, options: { readonly cause: Error }) {
    const prefix = `Server "${server}": `;
    const { message } = options.cause;
    const reason = message.startsWith(prefix) ? message.slice(prefix.length) : message;
    super(`The server "${server}" is not available: ${reason}`, options);
    this.server = server;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A server of a host that may not be started, because its entry is new or has changed; it was not started. */
export class ServerHeldError extends McpError {
  readonly code = "server-held";
  /** The name of the server in the host's configuration. */
  readonly server: string;
  readonly reason: "new" | "changed";
  /** The differences, line by line, for a person to read. */
  readonly diff: readonly string[];
  /** The hash of the entry that is held back, with its inputs and files, for `server.approve(sha256)`. */
  readonly sha256: string;

  constructor(server: string, reason: "new" | "changed", diff: readonly string[], sha256: string) {
    const what = reason === "new" ? "was not approved yet" : "has changed since it was approved";
    super(
      `The server "${server}" is held back: its entry ${what}. Look at the difference (diff of this error), then approve it by host.server("${server}").approve().`,
    );
    this.server = server;
    this.reason = reason;
    this.diff = diff;
    this.sha256 = sha256;
  }
}
