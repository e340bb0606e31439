import type { AuthHop } from "../protocol/auth-hop.ts";

/** One HTTP request that needs credentials. */
export interface AuthRequest {
  readonly method: string;
  /** What was connected to: who the credentials are for. */
  readonly server: URL;
  /** Where the request goes, which is at the same origin. */
  readonly url: URL;
  readonly signal: AbortSignal;
  /** How often it was sent before, and refused. */
  readonly attempt: number;
}

/**
 * Who a client is to servers over HTTP: credentials for each request, and what to do
 * when they are refused.
 *
 * No deadline of the client counts while it is waited for, so that a user has time to log
 * in; it must have an end of its own.
 */
export interface ClientAuth {
  /** The headers that carry the credentials; none while there are no credentials. */
  authorize(
    request: AuthRequest,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Looks at each answer. `"retry"` sends the same request again with new credentials; `"keep"`
   * takes the answer as it is; what is thrown is the outcome of the call. The body may not be read.
   */
  onResponse(response: Response, request: AuthRequest): "retry" | "keep" | Promise<"retry" | "keep">;
  /** What was done so far, oldest first. */
  explain?(): readonly AuthHop[];
}
