import type { AuthRequest } from "../../../contract/http-auth.ts";
import { DpopProver } from "./dpop-prover.ts";
import { isTokenExpired, type StoredTokens } from "./stored-tokens.ts";

/** The origin of tokens, which decides what to try when the server refuses them. */
export type TokenOrigin = "stored" | "refreshed" | "issued";

/** Tokens in use, and whether the server accepted them. */
export class ActiveTokens {
  readonly tokens: StoredTokens;
  readonly origin: TokenOrigin;
  readonly prover: DpopProver | undefined;
  /** The number of failed step-ups for each set of scopes. */
  readonly stepUps: ReadonlyMap<string, number>;
  /** True once the server has accepted them. */
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

  /** The headers of one request, with its own proof where the token is bound to a key. */
  async prove({ method, url }: AuthRequest): Promise<Readonly<Record<string, string>>> {
    if (this.prover === undefined) return this.headers;
    const { accessToken } = this.tokens;
    const dpop = await this.prover.prove(method, url, accessToken);
    return { authorization: `DPoP ${accessToken}`, dpop };
  }
}
