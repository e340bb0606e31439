import type { Grant } from "../grant.ts";
import { exchangeAssertion, jwtBearerGrantType } from "./jwt-bearer.ts";

export interface WorkloadIdentityOptions {
  /**
   * Gives the JWT by which the platform says what this program is; asked each time.
   *
   * `audience` is the authorization server that it must be made for.
   */
  readonly assertion: (audience: string) => string | Promise<string>;
}

/** For programs whose platform vouches for them: its JWT is exchanged for a token. */
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
