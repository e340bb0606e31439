import { base64url } from "jose";
import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../protocol/errors.ts";
import type { ClientDescription, ClientIdentity, KnownClient } from "./client-identity.ts";
import type { Discovery } from "./fetch-metadata.ts";
import type { Grant, IdentityWish } from "./grant.ts";
import { type Registration, register } from "./registration.ts";
import type { CredentialStore } from "./store.ts";
import { readStored, type StoredTokens, storeKey } from "./stored.ts";
import { toLine } from "./trace.ts";

export interface ClientRegistryOptions {
  readonly server: URL;
  readonly store: CredentialStore;
  readonly grant: Grant;
  readonly client: KnownClient | undefined;
  readonly clientMetadataUrl: string | undefined;
  readonly description: ClientDescription;
}

/** Who this client is to each authorization server: never the same id and secret to two of them. */
export class ClientRegistry {
  readonly #options: ClientRegistryOptions;

  constructor(options: ClientRegistryOptions) {
    this.#options = options;
  }

  /** Known beforehand, then by a document that describes it, then by registering. */
  async identify(
    server: AuthorizationServer,
    wish: IdentityWish,
    discovery: Discovery,
  ): Promise<ClientIdentity> {
    const { client, clientMetadataUrl } = this.#options;
    if (client) return this.#known(client, server.issuer);
    if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true) {
      discovery.trace.add("registration", "ok", {
        url: clientMetadataUrl,
        detail: "client metadata document",
      });
      return { id: clientMetadataUrl, authentication: "none", source: "document" };
    }
    if (server.registration_endpoint !== undefined) return this.#register(server, wish, discovery);
    if (wish.mayBeNobody) return { id: "nobody", source: "nobody" };
    throw new AuthorizationError(
      `${toLine(server.issuer)} registers no clients by itself; register one there, and pass it as client.`,
      "registration",
    );
  }

  /** The identity that tokens were given to. */
  async recall(issuer: string, { clientId, source }: StoredTokens): Promise<ClientIdentity> {
    const { client } = this.#options;
    if (source === "known" && client?.id === clientId) return this.#known(client, issuer);
    const registration = source === "registration" ? await this.#registration(issuer) : undefined;
    if (registration?.id === clientId) return { ...registration, source };
    return { id: clientId, authentication: "none", source };
  }

  async redirectUris(issuer: string): Promise<readonly string[]> {
    return (await this.#registration(issuer))?.redirectUris ?? [];
  }

  /** Lets go of a registration that the authorization server does not know any more. */
  async forget(issuer: string): Promise<void> {
    await this.#options.store.delete(this.#key(issuer));
  }

  async #known(client: KnownClient, issuer: string): Promise<ClientIdentity> {
    const { store, server } = this.#options;
    const key = storeKey("issuer-of", client.id, await secretOf(client, server));
    const expected = client.issuer ?? (await store.get(key));
    if (expected !== undefined && expected !== issuer) {
      throw new AuthorizationError(
        `The client ${toLine(client.id)} is registered with ${toLine(expected)}, but the server now names ${toLine(issuer)}.`,
        "registration",
      );
    }
    if (expected === undefined) await store.set(key, issuer);
    return { ...client, source: "known" };
  }

  async #register(
    server: AuthorizationServer,
    { redirectUri }: IdentityWish,
    discovery: Discovery,
  ): Promise<ClientIdentity> {
    const { store, description, grant } = this.#options;
    const known = await this.#registration(server.issuer);
    if (known && (redirectUri === undefined || known.redirectUris.includes(redirectUri)))
      return { ...known, source: "registration" };
    const wish = { description, redirectUri, grantTypes: grant.types };
    const registration = await register(wish, server, discovery);
    await store.set(this.#key(server.issuer), JSON.stringify(registration));
    return { ...registration, source: "registration" };
  }

  async #registration(issuer: string): Promise<Registration | undefined> {
    const registration = await readStored<Registration>(this.#options.store, this.#key(issuer));
    const { secretExpiresAt } = registration ?? {};
    return secretExpiresAt !== undefined && secretExpiresAt * 1000 < Date.now() ? undefined : registration;
  }

  #key(issuer: string): string {
    return storeKey("client", issuer, this.#options.grant.types[0]);
  }
}

/** What a client is one by: a secret, whichever server it is used for, is for one authorization server only. */
async function secretOf({ secret }: KnownClient, server: URL): Promise<string> {
  if (secret === undefined) return server.origin;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  return base64url.encode(new Uint8Array(hash));
}
