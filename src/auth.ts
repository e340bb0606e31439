export { bearer } from "./auth/server/bearer.ts";
export type { BearerOptions } from "./auth/server/bearer-options.ts";
export type { Claims, ImpliedScopes } from "./auth/server/claims.ts";
export type { DpopOptions } from "./auth/server/dpop-proof.ts";
export { type ExchangedToken, type ExchangeOptions, exchangeToken } from "./auth/server/exchange-token.ts";
export type { IntrospectionOptions } from "./auth/server/introspection.ts";
export type { VerifyInfo, VerifyToken } from "./auth/server/verifier.ts";
export type { AuthRequest, ClientAuth } from "./peer/client-auth.ts";
export type {
  Gate,
  ProtectedPlace,
  ProtectedRequest,
  Refusal,
  ServerAuth,
  SpentValues,
  Verdict,
} from "./peer/server-auth.ts";
export type { AuthHop } from "./protocol/auth-hop.ts";
