import type { AuthRequest, ClientAuth } from "../../contract/http-auth.ts";
import { InsufficientScopeError, UsageError } from "../../errors.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { toAsciiLine } from "../ascii-line.ts";
import { assertConfidential } from "../fetch/secure-url.ts";
import { readAccessChallenge } from "./discovery/access-challenge.ts";

/**
 * Sends a token that the host has. A function is called for each request, so that the token may change. A call that
 * needs scopes which the token does not have throws InsufficientScopeError.
 */
export function staticToken(token: string | (() => string | Promise<string>)): ClientAuth {
  if (typeof token !== "function" && (typeof token !== "string" || token === ""))
    throw new UsageError(
      `staticToken takes a token, or a function that returns one, not ${describeValue(token)}.`,
    );
  const toHeaders = (value: string) => ({ authorization: `Bearer ${value}` });
  return {
    authorize({ url }: AuthRequest) {
      assertConfidential(url);
      const given = typeof token === "function" ? token() : token;
      return typeof given === "string" ? toHeaders(given) : given.then(toHeaders);
    },
    onResponse(response) {
      if (response.status === 403) assertScopes(response);
      return "keep";
    },
  };
}

/** Throws for a challenge that asks for more scopes: the host's token has what it has. */
function assertScopes({ headers }: Response): void {
  const { error, scopes = [] } = readAccessChallenge(headers);
  if (error !== "insufficient_scope") return;
  throw new InsufficientScopeError(
    `The server requires the scopes ${toAsciiLine(scopes.join(" ")) || "(none named)"}, which the token does not have; use a token that has them, or auth: oauth(), which asks for them.`,
    scopes,
  );
}
