export type {
  NodeListener,
  NodeMessage,
  NodeResponse,
} from "./auth/authorization-server/http/node-listener.ts";
export { createOAuthProxy, type OAuthProxy } from "./auth/authorization-server/proxy/oauth-proxy.ts";
export type {
  Admission,
  CurrentAdmission,
  OAuthProxyOptions,
  UpstreamLogin,
  UpstreamOptions,
} from "./auth/authorization-server/proxy/options.ts";
export type { Grant, GrantRequest, GrantResult } from "./auth/client/grant.ts";
export { clientCredentials } from "./auth/client/grants/client-credentials.ts";
export { type DeviceCode, type DeviceCodeOptions, deviceCode } from "./auth/client/grants/device-code.ts";
export {
  type EnterpriseManagedOptions,
  enterpriseManaged,
} from "./auth/client/grants/enterprise-managed.ts";
export { type WorkloadIdentityOptions, workloadIdentity } from "./auth/client/grants/workload-identity.ts";
export type {
  ClientDescription,
  OAuthClientInformation,
  PreregisteredClient,
} from "./auth/client/identity/client-information.ts";
export type { Login, OpenLogin } from "./auth/client/login.ts";
export { type OAuth, oauth } from "./auth/client/oauth.ts";
export type { OAuthOptions } from "./auth/client/oauth-options.ts";
export { staticToken } from "./auth/client/static-token.ts";
export { type CredentialStore, memoryCredentialStore } from "./auth/client/tokens/credential-store.ts";
export type { ClientAuthentication } from "./auth/client-authentication-method.ts";
export { bearer } from "./auth/resource-server/bearer.ts";
export type { BearerOptions } from "./auth/resource-server/bearer-options.ts";
export type { Claims, ImpliedScopes } from "./auth/resource-server/claims.ts";
export type { DpopOptions } from "./auth/resource-server/dpop-verifier.ts";
export {
  type ExchangedToken,
  type ExchangeTokenOptions,
  exchangeToken,
} from "./auth/resource-server/exchange-token.ts";
export type { IntrospectionOptions } from "./auth/resource-server/introspection-verifier.ts";
export type { VerifyInfo, VerifyToken } from "./auth/resource-server/verifier-interface.ts";
export type {
  Authenticator,
  AuthRefusal,
  AuthRequest,
  AuthResult,
  ClientAuth,
  OneTimeValues,
  ProtectedEndpoints,
  ProtectedRequest,
  ServerAuth,
} from "./contract/http-auth.ts";
export type { AuthHop } from "./errors.ts";
