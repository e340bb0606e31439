import type { Grant } from "../grant.ts";
import { exchangeAssertion, jwtBearerGrantType } from "./jwt-bearer.ts";

export interface WorkloadIdentityOptions {
  /**
   * Returns the platform's JWT about this program; called for each token request.
   *
   * `audience` is the authorization server that the JWT must be made for.
   */
  readonly assertion: (audience: string) => string | Promise<string>;
}

/** Obtains tokens for a program whose platform vouches for it with a JWT (RFC 7523). */
export function workloadIdentity(options: WorkloadIdentityOptions): Grant {
  return {
    types: [jwtBearerGrantType],
    wantsRefresh: false,
    async obtain(request) {
      const identity = await request.identify({ allowAnonymous: true });
      const assertion = await options.assertion(request.server.issuer);
      return { identity, tokens: await exchangeAssertion(request, identity, assertion) };
    },
  };
}
