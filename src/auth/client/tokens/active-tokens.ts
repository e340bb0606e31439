import type { TokenEndpointResponse } from "oauth4webapi";
import type { AuthRequest } from "../../../contract/http-auth.ts";
import type { GrantRequest, GrantResult } from "../grant.ts";
import { type DpopKeys, DpopProver } from "./dpop-prover.ts";
import type { StoredTokens, TokenBinding } from "./stored-tokens.ts";

/** Where tokens came from, which tells what is worth trying when they are refused. */
export type TokenOrigin = "stored" | "refreshed" | "issued";

// Enough for a request to arrive before the token ends, whatever the clocks say.
const marginMs = 30_000;

/** Tokens in use, and what the server made of them. */
export class ActiveTokens {
  readonly tokens: StoredTokens;
  readonly origin: TokenOrigin;
  readonly prover: DpopProver | undefined;
  /** How often each challenge was answered by asking for more scopes, in vain. */
  readonly stepUps: ReadonlyMap<string, number>;
  /** Whether the server has let them pass. */
  isAccepted = false;

  constructor(tokens: StoredTokens, origin: TokenOrigin, stepUps: ReadonlyMap<string, number> = new Map()) {
    const isBound = tokens.tokenType === "dpop" && tokens.dpop !== undefined;
    this.tokens = tokens;
    this.origin = origin;
    this.prover = isBound ? new DpopProver(tokens.dpop) : undefined;
    this.stepUps = stepUps;
  }

  get isExpired(): boolean {
    return isTokenExpired(this.tokens);
  }

  /** The headers of a request that needs no proof. */
  get headers(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.tokens.accessToken}` };
  }

  /** The headers of one request, with a proof of its own where the token is bound to a key. */
  async prove({ method, url }: AuthRequest): Promise<Readonly<Record<string, string>>> {
    if (this.prover === undefined) return this.headers;
    const { accessToken } = this.tokens;
    const dpop = await this.prover.prove(method, url, accessToken);
    return { authorization: `DPoP ${accessToken}`, dpop };
  }
}

/** Whether a token has ended, or is about to. A short life is not all margin. */
export function isTokenExpired({ expiresAt }: StoredTokens): boolean {
  return expiresAt !== undefined && Date.now() > expiresAt;
}

/** Tokens as they are kept, from the answer of a token endpoint. */
export function toStoredTokens(
  response: TokenEndpointResponse,
  about: TokenBinding & Pick<StoredTokens, "scopes" | "source" | "dpop" | "refreshToken">,
): StoredTokens {
  const { access_token: accessToken, token_type: tokenType, expires_in: seconds, refresh_token } = response;
  const { issuer, resource, clientId, grant, scopes, source, dpop } = about;
  const refreshToken = refresh_token ?? about.refreshToken;
  const lifeMs = seconds === undefined ? undefined : seconds * 1000;
  return {
    issuer,
    resource,
    clientId,
    grant,
    source,
    accessToken,
    tokenType,
    ...(lifeMs !== undefined && { expiresAt: Date.now() + lifeMs - Math.min(marginMs, lifeMs / 2) }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scopes && { scopes }),
    ...(dpop && { dpop }),
  };
}

export function toGrantedTokens(
  { identity, tokens }: GrantResult,
  { server, resource, scopes }: GrantRequest,
  grant: string,
  dpop: DpopKeys | undefined,
): StoredTokens {
  const { id: clientId, source } = identity;
  return toStoredTokens(tokens, { issuer: server.issuer, resource, clientId, grant, source, scopes, dpop });
}
