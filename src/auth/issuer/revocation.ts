import { type AuthenticationOptions, authenticateClient } from "./client-authentication.ts";
import type { GrantBook } from "./grant-book.ts";
import type { Minter } from "./minter.ts";
import { readForm } from "./parameters.ts";
import type { Route } from "./router.ts";

export interface RevocationOptions extends AuthenticationOptions {
  readonly minter: Minter;
  readonly grants: GrantBook;
}

/** Makes a token worthless (RFC 7009): an access token alone, a refresh token with all that came of its grant. */
export function revocationRoute(options: RevocationOptions): Route {
  const { minter, grants } = options;
  const answer = async (request: Request): Promise<Response> => {
    const form = await readForm(request);
    const { client_id: id } = await authenticateClient(request, form, options);
    const token = form.require("token");
    const claims = await minter.read(token);
    if (claims?.client_id === id) await minter.revokeAccess(claims);
    const grant = await grants.findRefresh(token);
    if (grant?.clientId === id) await grants.revoke(grant.id, grant.expiresAt - Date.now());
    // A token that nobody knows is as good as revoked.
    return new Response(null, { status: 200 });
  };
  return { POST: answer, isOpen: true };
}
