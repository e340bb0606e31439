export type {
  ClientAuthentication,
  ClientDescription,
  ClientIdentity,
  KnownClient,
} from "./auth/client/client-identity.ts";
export type { Grant, Granted, GrantRequest } from "./auth/client/grant.ts";
export { clientCredentials } from "./auth/client/grants/client-credentials.ts";
export { type DeviceCode, type DeviceCodeOptions, deviceCode } from "./auth/client/grants/device-code.ts";
export {
  type EnterpriseManagedOptions,
  enterpriseManaged,
} from "./auth/client/grants/enterprise-managed.ts";
export { type WorkloadIdentityOptions, workloadIdentity } from "./auth/client/grants/workload-identity.ts";
export type { Login, OpenLogin } from "./auth/client/login.ts";
export { type OAuth, oauth } from "./auth/client/oauth.ts";
export type { OAuthOptions } from "./auth/client/oauth-options.ts";
export { staticToken } from "./auth/client/static-token.ts";
export { type CredentialStore, memoryStore } from "./auth/client/store.ts";
export type { NodeListener, NodeMessage, NodeResponse } from "./auth/issuer/node-listener.ts";
export { createOAuthProxy, type OAuthProxy } from "./auth/proxy/oauth-proxy.ts";
export type {
  Admission,
  HeldAdmission,
  OAuthProxyOptions,
  UpstreamLogin,
  UpstreamOptions,
} from "./auth/proxy/proxy-options.ts";
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
