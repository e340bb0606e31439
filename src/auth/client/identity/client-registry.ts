import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { sha256 } from "../../../lib/encoding/sha256.ts";
import { toAsciiLine } from "../../ascii-line.ts";
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

/**
 * The identity of this client at each authorization server. No id or secret is used at two of them.
 *
 * basic/authorization/client-registration#authorization-server-binding (2026-07-28)
 */
export class ClientRegistry {
  readonly #options: ClientRegistryOptions;

  constructor(options: ClientRegistryOptions) {
    this.#options = options;
  }

  /** Identifies the client in the order of basic/authorization#client-registration-approaches (2025-11-25). */
  async identify(
    server: AuthorizationServer,
    options: IdentifyOptions,
    context: FetchContext,
  ): Promise<OAuthClientInformation> {
    const { client, clientMetadataUrl } = this.#options;
    if (client) return this.#preregistered(client, server.issuer);
    if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true) {
      context.trace.add("registration", "ok", {
        url: clientMetadataUrl,
        detail: "client metadata document",
      });
      return { id: clientMetadataUrl, authentication: "none", source: "document" };
    }
    if (server.registration_endpoint !== undefined) return this.#register(server, options, context);
    if (options.allowAnonymous) return { id: "anonymous", source: "anonymous" };
    throw new AuthorizationError(
      `${toAsciiLine(server.issuer)} has no dynamic client registration; register a client there, and pass it as client.`,
      "registration",
    );
  }

  /** The identity that tokens were issued to. */
  async identityOf(issuer: string, tokens: StoredTokens): Promise<OAuthClientInformation> {
    const { clientId } = tokens;
    const source = readSource(tokens);
    const { client } = this.#options;
    if (source === "preregistered" && client?.id === clientId) return this.#preregistered(client, issuer);
    const registration = source === "registration" ? await this.#registration(issuer) : undefined;
    if (registration?.id === clientId) return { ...registration, source };
    return { id: clientId, authentication: "none", source };
  }

  async redirectUris(issuer: string): Promise<readonly string[]> {
    return (await this.#registration(issuer))?.redirectUris ?? [];
  }

  /** Deletes a registration that the authorization server no longer knows. */
  async forget(issuer: string): Promise<void> {
    await this.#options.store.delete(this.#key(issuer));
  }

  async #preregistered(client: PreregisteredClient, issuer: string): Promise<OAuthClientInformation> {
    const { store, server } = this.#options;
    const key = storeKey("issuer-of", client.id, await secretOf(client, server));
    const expected = client.issuer ?? (await store.get(key));
    if (expected !== undefined && expected !== issuer) {
      throw new AuthorizationError(
        `The client ${toAsciiLine(client.id)} is registered with ${toAsciiLine(expected)}, but the server now names ${toAsciiLine(issuer)} as its authorization server.`,
        "registration",
      );
    }
    if (expected === undefined) await store.set(key, issuer);
    return { ...client, source: "preregistered" };
  }

  async #register(
    server: AuthorizationServer,
    { redirectUri }: IdentifyOptions,
    context: FetchContext,
  ): Promise<OAuthClientInformation> {
    const { store, description, grant } = this.#options;
    const known = await this.#registration(server.issuer);
    if (known && (redirectUri === undefined || known.redirectUris.includes(redirectUri)))
      return { ...known, source: "registration" };
    const request = { description, redirectUri, grantTypes: grant.types };
    const registration = await registerClient(request, server, context);
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

/** The part of the key that distinguishes clients: a secret is for one authorization server, whatever server uses it. */
async function secretOf({ secret }: PreregisteredClient, server: URL): Promise<string> {
  if (secret === undefined) return server.origin;
  return sha256(secret);
}

/** Earlier releases wrote other words to the credential store. */
const earlierSources: Readonly<Record<string, OAuthClientInformation["source"]>> = {
  known: "preregistered",
  nobody: "anonymous",
};

function readSource({ source }: StoredTokens): OAuthClientInformation["source"] {
  return earlierSources[source] ?? source;
}
