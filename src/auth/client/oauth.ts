import { platform } from "#platform";
import type { AuthRequest, ClientAuth } from "../../contract/http-auth.ts";
import { assertOptions } from "../../contract/options.ts";
import { type AuthHop, AuthorizationError, UsageError } from "../../errors.ts";
import { toAddressPolicy } from "../fetch/address-policy.ts";
import { type CheckedFetch, createSafeFetch } from "../fetch/safe-fetch.ts";
import { assertConfidential } from "../fetch/secure-url.ts";
import { toCanonicalServerUri } from "./discovery/authorization-requirements.ts";
import type { Grant } from "./grant.ts";
import { authorizationCode } from "./grants/authorization-code.ts";
import { ClientRegistry } from "./identity/client-registry.ts";
import type { OpenLogin } from "./login.ts";
import { type OAuthOptions, oauthOptionKinds } from "./oauth-options.ts";
import { RequestAuthorizer } from "./request-authorizer.ts";
import { type CredentialStore, memoryCredentialStore } from "./tokens/credential-store.ts";
import { LoginLimit } from "./tokens/login-limit.ts";
import { SharedTokens } from "./tokens/shared-tokens.ts";
import { TokenKeeper } from "./tokens/token-keeper.ts";
import { AuthTrace } from "./trace.ts";

/** OAuth credentials for all servers of a host. Made by `oauth()`. */
export interface OAuth extends ClientAuth {
  explain(): readonly AuthHop[];
  /** Deletes the tokens for a server, so that the next request to it begins with a login. */
  forget(server: string | URL): Promise<void>;
}

interface ServerCredentials {
  readonly authorizer: RequestAuthorizer;
  readonly keeper: TokenKeeper;
}

/**
 * Obtains and renews credentials by OAuth, for every server that it is used with.
 *
 * Does nothing until a server asks for credentials; then it discovers the authorization server.
 * Tokens are sent only to the server that they were issued for, refresh tokens and secrets only
 * to the authorization server that issued them.
 */
export function oauth(options: OAuthOptions = {}): OAuth {
  assertOptions("oauth", options, oauthOptionKinds);
  assertOneGrant(options);
  const trace = new AuthTrace();
  const store = options.store ?? memoryCredentialStore();
  const servers = new Map<string, ServerCredentials>();
  const credentialsFor = (url: URL): ServerCredentials => {
    const key = toCanonicalServerUri(url);
    const known = servers.get(key);
    if (known) return known;
    const keeper = createKeeper(url, options, store, trace);
    const created = { keeper, authorizer: new RequestAuthorizer(new SharedTokens(keeper)) };
    servers.set(key, created);
    return created;
  };
  return {
    authorize(request: AuthRequest) {
      assertConfidential(request.url);
      return credentialsFor(request.server).authorizer.authorize(request);
    },
    onResponse(response: Response, request: AuthRequest) {
      const outcome = credentialsFor(request.server).authorizer.onResponse(response, request);
      return outcome instanceof Promise ? withTrace(outcome, trace) : outcome;
    },
    explain: () => trace.hops,
    async forget(server) {
      const url = new URL(server);
      await credentialsFor(url).keeper.forget();
      servers.delete(toCanonicalServerUri(url));
    },
  };
}

function createKeeper(
  url: URL,
  options: OAuthOptions,
  store: CredentialStore,
  trace: AuthTrace,
): TokenKeeper {
  const policy = toAddressPolicy(url, options.privateHosts);
  const { client, clientMetadataUrl, description = {}, scopes, dpop = "auto", issuer } = options;
  const grant: Grant =
    options.grant ??
    authorizationCode({ openLogin: () => toLogin(options), loginMs: options.loginMs ?? 300_000 });
  const logins = new LoginLimit();
  return new TokenKeeper({
    url,
    store,
    trace,
    grant,
    scopes,
    dpop,
    policy,
    beforeLogin: () => logins.begin(url),
    issuer,
    client,
    fetch: createSafeFetch({ policy, fetch: toCheckedFetch(options.fetch) }),
    registry: new ClientRegistry({ server: url, store, grant, client, clientMetadataUrl, description }),
  });
}

/** The host's own `fetch` looks up names by itself, so that only the names are checked. */
function toCheckedFetch(own: typeof fetch | undefined): CheckedFetch {
  return own ? (url, init) => own(url, init) : platform.fetch;
}

async function toLogin({ login, authorize, redirectUri }: OAuthOptions): Promise<OpenLogin> {
  if (login) return login;
  return authorize && redirectUri !== undefined ? () => ({ redirectUri, authorize }) : platform.openLogin();
}

function assertOneGrant({ authorize, redirectUri, login, grant, clientMetadataUrl }: OAuthOptions): void {
  if ((authorize === undefined) !== (redirectUri === undefined))
    throw new UsageError("authorize and redirectUri belong together: give both, or neither.");
  if ([authorize, login, grant].filter(Boolean).length > 1)
    throw new UsageError("authorize, login and grant are three ways to obtain tokens; give only one.");
  if (clientMetadataUrl !== undefined) {
    const url = URL.canParse(clientMetadataUrl) ? new URL(clientMetadataUrl) : undefined;
    const isPlain = url?.href === clientMetadataUrl && url.username + url.password === "";
    if (!isPlain || url.protocol !== "https:" || url.pathname === "/" || clientMetadataUrl.includes("#"))
      throw new UsageError(
        "clientMetadataUrl must be an https URL with a path, in its plain form: without a user, a fragment and dot segments.",
      );
  }
}

/** Adds the trace to an AuthorizationError that has none. */
async function withTrace<T>(work: Promise<T>, trace: AuthTrace): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AuthorizationError) || error.hops.length > 0) throw error;
    const { message, reason, cause } = error;
    throw new AuthorizationError(message, reason, { cause, hops: trace.hops });
  }
}
