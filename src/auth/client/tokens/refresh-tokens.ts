import {
  type AuthorizationServer,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
} from "oauth4webapi";
import { toDpopHandle } from "./dpop-prover.ts";
import type { ObtainTokensOptions } from "./obtain-tokens.ts";
import { type StoredTokens, toStoredTokens } from "./stored-tokens.ts";
import { TokenEndpoint } from "./token-endpoint.ts";

/** Exchanges a refresh token for new tokens, at the authorization server that issued it. */
export async function refreshTokens(
  server: AuthorizationServer,
  tokens: StoredTokens,
  { registry, fetch, trace, signal }: ObtainTokensOptions,
): Promise<StoredTokens> {
  const context = { fetch, trace, signal };
  const identity = await registry.identityOf(server.issuer, tokens);
  const isRequired = tokens.tokenType === "dpop";
  const key = tokens.dpop && { handle: await toDpopHandle(tokens.dpop), isRequired };
  const endpoint = new TokenEndpoint(server, identity, context, key);
  const response = await endpoint.request("refresh", { resource: tokens.resource }, async (call) =>
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
  return toStoredTokens(response, tokens);
}
