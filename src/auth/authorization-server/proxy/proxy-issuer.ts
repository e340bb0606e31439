import { UsageError } from "../../../errors.ts";
import { memoryState } from "../../../state/memory/memory-state.ts";
import type { CounterStore, ValueStore } from "../../../state/state.ts";
import { createDocumentFetch } from "../../fetch/document-fetch.ts";
import { ClientMetadataDocuments } from "../clients/client-metadata-document.ts";
import { ClientStore } from "../clients/client-store.ts";
import { isLoopbackHost } from "../clients/redirect-uri.ts";
import type { Audiences } from "../tokens/audience.ts";
import { GrantStore } from "../tokens/grant-store.ts";
import { SigningKeys } from "../tokens/signing-keys.ts";
import { TokenIssuer } from "../tokens/token-issuer.ts";
import type { OAuthProxyOptions } from "./options.ts";
import { withKeyPrefix } from "./prefixed-values.ts";

/** The parts of a proxy, which its endpoints share. */
export interface ProxyIssuer {
  readonly url: string;
  readonly options: OAuthProxyOptions;
  readonly scopes: readonly string[];
  readonly audiences: Audiences;
  readonly keys: SigningKeys;
  readonly values: ValueStore;
  readonly counters: CounterStore;
  readonly clients: ClientStore;
  readonly grants: GrantStore;
  readonly tokenIssuer: TokenIssuer;
  readonly loginMs: number;
}

const day = 24 * 60 * 60;

export async function createProxyIssuer(options: OAuthProxyOptions): Promise<ProxyIssuer> {
  const url = toIssuer(options.publicUrl);
  assertSecure("upstream.issuer", options.upstream.issuer);
  const audiences = toAudiences(options.resource);
  const state = options.state ?? memoryState();
  const values = withKeyPrefix(state.values, `oauth-proxy ${url} `);
  const { signingKeys } = options;
  const keys = await (signingKeys ? SigningKeys.from(signingKeys) : SigningKeys.generate("ES256"));
  const grants = new GrantStore(values);
  const accessSeconds = options.accessTokenSeconds ?? 600;
  return {
    url,
    options,
    scopes: options.scopes ?? [],
    audiences,
    keys,
    values,
    counters: state.counters,
    clients: createClients(url, options, values),
    grants,
    tokenIssuer: new TokenIssuer({ issuer: url, keys, grants, values, accessSeconds, format: "jwt" }),
    loginMs: (options.loginSeconds ?? day) * 1000,
  };
}

function createClients(url: string, options: OAuthProxyOptions, values: ValueStore): ClientStore {
  // Documents on this machine are for those who develop on it.
  const allowLoopback = isLoopbackHost(new URL(url).hostname);
  const documents = new ClientMetadataDocuments({ fetch: createDocumentFetch(allowLoopback), allowLoopback });
  return new ClientStore({
    values,
    documents: options.clientMetadataDocuments === false ? undefined : documents,
    unusedMs: day * 1000,
    usedMs: 90 * day * 1000,
  });
}

function toIssuer(publicUrl: string): string {
  const { origin, pathname, search, hash } = assertSecure("publicUrl", publicUrl);
  if (search || hash) throw new UsageError("publicUrl: an issuer has neither a query nor a fragment.");
  return origin + pathname.replace(/\/+$/, "");
}

function toAudiences(resource: string | readonly string[]): Audiences {
  const allowed = typeof resource === "string" ? [resource] : resource;
  const [fallback] = allowed;
  if (fallback === undefined) throw new UsageError("resource: name the endpoint that tokens are for.");
  for (const one of allowed) assertSecure("resource", one);
  return { allowed, fallback };
}

function assertSecure(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname))) return url;
  throw new UsageError(`${option}: ${JSON.stringify(text)} must be an https URL, or http on loopback.`);
}
