import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { sha256 } from "../../../lib/sha256.ts";
import { toPrintable } from "../../printable.ts";
import type { FetchContext } from "../discovery/fetch-metadata.ts";
import type { Grant, IdentifyOptions } from "../grant.ts";
import type { CredentialStore } from "../tokens/credential-store.ts";
import { readStored, type StoredTokens, storeKey } from "../tokens/stored-tokens.ts";
import type { ClientDescription, OAuthClientInformation, PreregisteredClient } from "./client-information.ts";
import { type ClientRegistration, registerClient } from "./dynamic-registration.ts";

export interface ClientRegistryOptions {
  readonly server: URL;
  readonly store: CredentialStore;
  readonly grant: Grant;
  readonly client: PreregisteredClient | undefined;
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
    wish: IdentifyOptions,
    discovery: FetchContext,
  ): Promise<OAuthClientInformation> {
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
    if (wish.allowAnonymous) return { id: "nobody", source: "nobody" };
    throw new AuthorizationError(
      `${toPrintable(server.issuer)} registers no clients by itself; register one there, and pass it as client.`,
      "registration",
    );
  }

  /** The identity that tokens were given to. */
  async identityOf(issuer: string, { clientId, source }: StoredTokens): Promise<OAuthClientInformation> {
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

  async #known(client: PreregisteredClient, issuer: string): Promise<OAuthClientInformation> {
    const { store, server } = this.#options;
    const key = storeKey("issuer-of", client.id, await secretOf(client, server));
    const expected = client.issuer ?? (await store.get(key));
    if (expected !== undefined && expected !== issuer) {
      throw new AuthorizationError(
        `The client ${toPrintable(client.id)} is registered with ${toPrintable(expected)}, but the server now names ${toPrintable(issuer)}.`,
        "registration",
      );
    }
    if (expected === undefined) await store.set(key, issuer);
    return { ...client, source: "known" };
  }

  async #register(
    server: AuthorizationServer,
    { redirectUri }: IdentifyOptions,
    discovery: FetchContext,
  ): Promise<OAuthClientInformation> {
    const { store, description, grant } = this.#options;
    const known = await this.#registration(server.issuer);
    if (known && (redirectUri === undefined || known.redirectUris.includes(redirectUri)))
      return { ...known, source: "registration" };
    const wish = { description, redirectUri, grantTypes: grant.types };
    const registration = await registerClient(wish, server, discovery);
    await store.set(this.#key(server.issuer), JSON.stringify(registration));
    return { ...registration, source: "registration" };
  }

  async #registration(issuer: string): Promise<ClientRegistration | undefined> {
    const registration = await readStored<ClientRegistration>(this.#options.store, this.#key(issuer));
    const { secretExpiresAt } = registration ?? {};
    return secretExpiresAt !== undefined && secretExpiresAt * 1000 < Date.now() ? undefined : registration;
  }

  #key(issuer: string): string {
    return storeKey("client", issuer, this.#options.grant.types[0]);
  }
}

/** What a client is one by: a secret, whichever server it is used for, is for one authorization server only. */
async function secretOf({ secret }: PreregisteredClient, server: URL): Promise<string> {
  if (secret === undefined) return server.origin;
  return sha256(secret);
}
