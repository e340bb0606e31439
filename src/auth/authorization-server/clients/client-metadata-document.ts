import { platform } from "#platform";
import { AuthorizationError } from "../../../errors.ts";
import { isCanonicalLoopbackHost, isLoopbackHost } from "../../../lib/loopback.ts";
import { assertSafeAddress, assertSafeUrl } from "../../fetch/address-policy.ts";
import { OAuthError } from "../http/oauth-error.ts";
import { readTextAtMost } from "../http/request-parameters.ts";
import { type RegisteredClient, readClientMetadata } from "./client-metadata.ts";

export interface ClientMetadataDocumentsOptions {
  /** Whether documents may be on this machine, and there without TLS. */
  readonly allowLoopback: boolean;
}

const maxBytes = 16 * 1024;
const readMs = 5000;
const unsaidKeptMs = 60_000;
const longestKeptMs = 24 * 60 * 60 * 1000;
const maxKept = 1000;
/** So that nobody can have others flooded from here. */
const maxReading = 20;

interface Kept {
  readonly client: RegisteredClient;
  readonly until: number;
}

/** Clients whose id is the address of a document about them. */
export class ClientMetadataDocuments {
  readonly #allowLoopback: boolean;
  readonly #fetchDocument: FetchDocument;
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<RegisteredClient>>();

  constructor({ allowLoopback }: ClientMetadataDocumentsOptions) {
    this.#allowLoopback = allowLoopback;
    this.#fetchDocument = createDocumentFetch(allowLoopback);
  }

  isAddress(id: string): boolean {
    return /^https?:\/\//.test(id);
  }

  async read(id: string): Promise<RegisteredClient> {
    const kept = this.#kept.get(id);
    if (kept && kept.until > Date.now()) return kept.client;
    this.#assertAddress(id);
    const reading = this.#reading.get(id) ?? this.#readNew(id);
    this.#reading.set(id, reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(id);
    }
  }

  async #readNew(id: string): Promise<RegisteredClient> {
    if (this.#reading.size >= maxReading) {
      throw new OAuthError("temporarily_unavailable", "Too many clients are looked up; try again.", {
        status: 503,
      });
    }
    const { text, keepMs } = await this.#fetch(id);
    const client = toClient(id, text);
    if (this.#kept.size >= maxKept) this.#kept.clear();
    this.#kept.set(id, { client, until: Date.now() + keepMs });
    return client;
  }

  #assertAddress(id: string): void {
    const url = URL.canParse(id) ? new URL(id) : undefined;
    if (
      url === undefined ||
      url.href !== id ||
      url.pathname === "/" ||
      url.hash ||
      url.username ||
      url.password
    ) {
      throw invalid("is not the address of a document");
    }
    const { hostname, protocol } = url;
    if (isLoopbackHost(hostname) && !this.#allowLoopback) throw invalid("is the address of this machine");
    if (protocol !== "https:" && !isCanonicalLoopbackHost(hostname)) throw invalid("is not https");
  }

  async #fetch(id: string): Promise<{ text: string; keepMs: number }> {
    const signal = AbortSignal.timeout(readMs);
    try {
      const response = await this.#fetchDocument(id, { signal, headers: { accept: "application/json" } });
      if (response.status !== 200) throw invalid(`is answered with ${response.status}`);
      const text = await readTextAtMost(response.body, maxBytes, signal);
      return { text, keepMs: toKeepMs(response.headers.get("cache-control")) };
    } catch (error) {
      if (error instanceof OAuthError && error.status === 400) throw error;
      if (error instanceof AuthorizationError) throw invalid("is not a public address");
      throw invalid("leads to a document that can't be read, or is too long");
    }
  }
}

type FetchDocument = (address: string, init: RequestInit) => Promise<Response>;

/**
 * Fetches a URL that a stranger chose, so it must not reach this server's own network.
 *
 * It follows no redirect: a redirect would give a client id the document of another site.
 */
function createDocumentFetch(allowLoopback: boolean): FetchDocument {
  const policy = { loopback: allowLoopback, privateHosts: [] };
  return async (address, init) => {
    const url = new URL(address);
    assertSafeUrl(url, policy);
    return platform.fetch(url, { ...init, redirect: "manual" }, (found) =>
      assertSafeAddress(found, url, policy),
    );
  };
}

function toClient(id: string, text: string): RegisteredClient {
  const document = parse(text);
  if (document?.client_id !== id) throw invalid("is not the one in its document");
  const metadata = readClientMetadata(document, "none");
  // What everybody can read holds no secret.
  if (metadata.token_endpoint_auth_method.startsWith("client_secret") || "client_secret" in document) {
    throw invalid("has a document that speaks of a shared secret");
  }
  return { ...metadata, client_id: id };
}

function parse(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as { [name: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}

function toKeepMs(cacheControl: string | null): number {
  if (cacheControl === null) return unsaidKeptMs;
  if (/no-store|no-cache/.test(cacheControl)) return 0;
  const seconds = Number(/max-age=(\d{1,9})/.exec(cacheControl)?.[1] ?? 0);
  return Math.min(seconds * 1000, longestKeptMs);
}

function invalid(problem: string): OAuthError {
  return new OAuthError("invalid_client", `The client id ${problem}.`, { status: 400 });
}
