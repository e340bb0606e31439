/** Why a request to an authorization server is refused, in the words of RFC 6749. */
export class Refusal extends Error {
  readonly error: string;
  readonly status: number;
  readonly headers: { readonly [name: string]: string };

  constructor(error: string, description: string, answer: RefusalAnswer = {}) {
    super(description);
    this.error = error;
    this.status = answer.status ?? 400;
    this.headers = answer.headers ?? {};
  }
}

export interface RefusalAnswer {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
}

export function invalidRequest(description: string): Refusal {
  return new Refusal("invalid_request", description);
}

export function invalidGrant(description: string): Refusal {
  return new Refusal("invalid_grant", description);
}

export function invalidClient(description: string): Refusal {
  return new Refusal("invalid_client", description, {
    status: 401,
    headers: { "www-authenticate": "Basic" },
  });
}
