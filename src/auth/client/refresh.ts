import {
  type AuthorizationServer,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
} from "oauth4webapi";
import { toStored } from "./credentials.ts";
import { openDpop } from "./dpop.ts";
import type { Obtaining } from "./obtain.ts";
import type { StoredTokens } from "./stored.ts";
import { TokenEndpoint } from "./token-endpoint.ts";

/** Exchanges a refresh token for new tokens, at the authorization server that gave it. */
export async function refresh(
  server: AuthorizationServer,
  tokens: StoredTokens,
  { registry, fetch, trace, signal }: Obtaining,
): Promise<StoredTokens> {
  const discovery = { fetch, trace, signal };
  const identity = await registry.recall(server.issuer, tokens);
  const dpop = tokens.dpop && (await openDpop(tokens.dpop));
  const endpoint = new TokenEndpoint(server, identity, discovery, dpop);
  const response = await endpoint.ask("refresh", { resource: tokens.resource }, async (call) =>
    processRefreshTokenResponse(
      call.server,
      call.client,
      await refreshTokenGrantRequest(
        call.server,
        call.client,
        call.authentication,
        tokens.refreshToken ?? "",
        call.options,
      ),
    ),
  );
  return toStored(response, tokens);
}
