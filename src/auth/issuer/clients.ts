import type { ValueStore } from "../../state/state.ts";
import type { ClientDocuments } from "./client-document.ts";
import { type RegisteredClient, readClientMetadata } from "./client-metadata.ts";
import { randomToken } from "./random-token.ts";
import { invalidClient } from "./refusal.ts";

export interface ClientsOptions {
  readonly values: ValueStore;
  /** Clients that are known from the start. */
  readonly known?: readonly RegisteredClient[];
  /** For clients whose id is the address of what they say of themselves; undefined for none. */
  readonly documents?: ClientDocuments | undefined;
  readonly registrationMs: number;
}

/** Who may ask for tokens. */
export class Clients {
  readonly #known: ReadonlyMap<string, RegisteredClient>;
  readonly #options: ClientsOptions;

  constructor(options: ClientsOptions) {
    this.#known = new Map(options.known?.map((client) => [client.client_id, client]));
    this.#options = options;
  }

  /** Throws a refusal for a client that nobody knows. */
  async find(id: string): Promise<RegisteredClient> {
    const { values, documents } = this.#options;
    const known = this.#known.get(id);
    if (known) return known;
    if (documents?.isAddress(id)) return documents.read(id);
    const registered = await values.get(`client:${id}`);
    if (registered === undefined) throw invalidClient("The client is unknown; register it first.");
    return JSON.parse(registered) as RegisteredClient;
  }

  /** Registers a client by what it says of itself (RFC 7591). */
  async register(given: unknown): Promise<RegisteredClient> {
    const { values, registrationMs } = this.#options;
    const metadata = readClientMetadata(given, "client_secret_basic");
    const needsSecret = metadata.token_endpoint_auth_method.startsWith("client_secret");
    const now = Date.now();
    const client: RegisteredClient = {
      ...metadata,
      client_id: randomToken(),
      client_id_issued_at: Math.floor(now / 1000),
      ...(needsSecret && {
        client_secret: randomToken(),
        client_secret_expires_at: Math.floor((now + registrationMs) / 1000),
      }),
    };
    await values.put(`client:${client.client_id}`, JSON.stringify(client), registrationMs);
    return client;
  }
}
