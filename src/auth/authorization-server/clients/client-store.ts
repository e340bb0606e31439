import { randomToken } from "../../../lib/encoding/random-token.ts";
import { sha256 } from "../../../lib/encoding/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import { invalidClientError } from "../http/oauth-error.ts";
import { addressKeyOf } from "../http/request-address.ts";
import { type RegisteredClient, readClientMetadata } from "./client-metadata.ts";
import type { ClientMetadataDocuments } from "./client-metadata-document.ts";

export interface ClientStoreOptions {
  readonly values: ValueStore;
  /** The preregistered clients. */
  readonly known?: readonly RegisteredClient[];
  /** Reads clients whose id is the URL of a metadata document; undefined to refuse such ids. */
  readonly documents?: ClientMetadataDocuments | undefined;
  /** The lifetime of a registration without a login. */
  readonly unusedMs: number;
  /** The lifetime of a registration after a login. */
  readonly usedMs: number;
}

/** The clients of an issuer: preregistered, published as a document, or registered dynamically. */
export class ClientStore {
  readonly #known: ReadonlyMap<string, RegisteredClient>;
  readonly #options: ClientStoreOptions;

  constructor(options: ClientStoreOptions) {
    this.#known = new Map(options.known?.map((client) => [client.client_id, client]));
    this.#options = options;
  }

  /** Finds a client, for a request. Throws OAuthError for an unknown one. */
  async find(id: string, request: Request): Promise<RegisteredClient> {
    const { values, documents } = this.#options;
    const known = this.#known.get(id);
    if (known) return known;
    if (documents?.isDocumentUrl(id)) return documents.read(id, addressKeyOf(request));
    const registered = await values.get(`client:${id}`);
    if (registered === undefined) throw invalidClientError("The client is unknown; register it first.");
    return JSON.parse(registered) as RegisteredClient;
  }

  /** Registers a client (RFC 7591). Stores only a hash of its secret. */
  async register(given: unknown): Promise<RegisteredClient> {
    const { values, unusedMs } = this.#options;
    const metadata = readClientMetadata(given, "client_secret_basic");
    const needsSecret = metadata.token_endpoint_auth_method.startsWith("client_secret");
    const client: RegisteredClient = {
      ...metadata,
      client_id: randomToken(),
      client_id_issued_at: Math.floor(Date.now() / 1000),
      ...(needsSecret && {
        client_secret: randomToken(),
        client_secret_expires_at: 0,
      }),
    };
    const { client_secret: secret, ...kept } = client;
    const hashed = secret === undefined ? kept : { ...kept, secret_hash: await sha256(secret) };
    await values.put(`client:${client.client_id}`, JSON.stringify(hashed), unusedMs);
    return client;
  }

  /** Extends the lifetime of a registration after a login. */
  async extendRegistration(id: string): Promise<void> {
    const { values, usedMs } = this.#options;
    const key = `client:${id}`;
    const registered = await values.get(key);
    if (registered !== undefined) await values.put(key, registered, usedMs);
  }
}
