/** An OAuth error response (RFC 6749, section 5.2). The message is its `error_description`. */
export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  readonly headers: { readonly [name: string]: string };

  constructor(error: string, description: string, options: OAuthErrorOptions = {}) {
    super(description);
    this.error = error;
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
  }
}

export interface OAuthErrorOptions {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
}

/** An `error_description`: printable ASCII without quotes and backslashes (RFC 6749, section 5.2). */
export function toErrorDescription(message: string): string {
  return message.replaceAll('"', "'").replace(/[^\x20-\x7e]|\\/g, "?");
}

export function invalidRequestError(description: string): OAuthError {
  return new OAuthError("invalid_request", description);
}

export function invalidGrantError(description: string): OAuthError {
  return new OAuthError("invalid_grant", description);
}

export function invalidClientError(description: string): OAuthError {
  return new OAuthError("invalid_client", description, {
    status: 401,
    headers: { "www-authenticate": "Basic" },
  });
}

/** The error of a server whose store is full or does not answer. */
export function temporarilyUnavailable(): OAuthError {
  return new OAuthError("temporarily_unavailable", "The server can't use its store now; try again later.", {
    status: 503,
    headers: { "retry-after": "5" },
  });
}
