import type { AuthRequest } from "../../../contract/http-auth.ts";
import { DpopProver } from "./dpop-prover.ts";
import { isTokenExpired, type StoredTokens } from "./stored-tokens.ts";

/** Where tokens came from, which tells what is worth trying when they are refused. */
export type TokenOrigin = "stored" | "refreshed" | "issued";

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
