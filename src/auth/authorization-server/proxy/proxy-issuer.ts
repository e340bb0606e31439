import { UsageError } from "../../../errors.ts";
import { isCanonicalLoopbackHost } from "../../../lib/loopback.ts";
import { memoryState } from "../../../state/memory/memory-state.ts";
import type { CounterStore, ValueStore } from "../../../state/state.ts";
import { withAvailability } from "../../../state/store-availability.ts";
import { toSecureUrl } from "../../fetch/secure-url.ts";
import { ClientMetadataDocuments } from "../clients/client-metadata-document.ts";
import { createIssuer, type Issuer } from "../issuer.ts";
import type { Audiences } from "../tokens/audience.ts";
import { SigningKeys } from "../tokens/signing-keys.ts";
import type { OAuthProxyOptions } from "./options.ts";

/** The proxy's own issuer, whose users log in at the identity provider. */
export interface ProxyIssuer extends Issuer {
  readonly options: OAuthProxyOptions;
  readonly counters: CounterStore;
  readonly loginMs: number;
}

const daySeconds = 24 * 60 * 60;

export async function createProxyIssuer(options: OAuthProxyOptions): Promise<ProxyIssuer> {
  const url = toIssuerUrl(options.publicUrl);
  toSecureUrl("upstream.issuer", options.upstream.issuer);
  const audiences = toAudiences(options.resource);
  const { values, counters } = options.state ? withAvailability(options.state) : memoryState();
  const { signingKeys } = options;
  const issuer = createIssuer({
    url,
    scopes: options.scopes ?? [],
    audiences,
    keys: await (signingKeys ? SigningKeys.from(signingKeys) : SigningKeys.generate("ES256")),
    values: withKeyPrefix(values, `oauth-proxy ${url} `),
    accessSeconds: options.accessTokenSeconds ?? 600,
    format: "jwt",
    clients: {
      documents: options.clientMetadataDocuments === false ? undefined : toDocuments(url),
      unusedMs: daySeconds * 1000,
      usedMs: 90 * daySeconds * 1000,
    },
  });
  return { ...issuer, options, counters, loginMs: (options.loginSeconds ?? daySeconds) * 1000 };
}

/** Client documents on this machine are read only by a proxy on this machine, for development. */
function toDocuments(url: string): ClientMetadataDocuments {
  return new ClientMetadataDocuments({ allowLoopback: isCanonicalLoopbackHost(new URL(url).hostname) });
}

function toIssuerUrl(publicUrl: string): string {
  const { origin, pathname, search, hash } = toSecureUrl("publicUrl", publicUrl);
  if (search || hash) throw new UsageError("publicUrl: an issuer has neither a query nor a fragment.");
  return origin + pathname.replace(/\/+$/, "");
}

function toAudiences(resource: string | readonly string[]): Audiences {
  const allowed = typeof resource === "string" ? [resource] : resource;
  const [fallback] = allowed;
  if (fallback === undefined) throw new UsageError("resource: name the endpoint that tokens are for.");
  for (const one of allowed) toSecureUrl("resource", one);
  return { allowed, fallback };
}

/** Separates the proxy's keys from those of other users of the store. */
function withKeyPrefix(values: ValueStore, prefix: string): ValueStore {
  return {
    add: (key, value, ttlMs, holder) => values.add(prefix + key, value, ttlMs, holder),
    put: (key, value, ttlMs, holder) => values.put(prefix + key, value, ttlMs, holder),
    get: (key) => values.get(prefix + key),
    remove: (key) => values.remove(prefix + key),
  };
}
