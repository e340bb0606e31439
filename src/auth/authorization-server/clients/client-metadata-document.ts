import { platform } from "#platform";
import { AuthorizationError } from "../../../errors.ts";
import { BoundedMap } from "../../../lib/bounded/bounded-map.ts";
import { isCanonicalLoopbackHost, isLoopbackHost } from "../../../lib/loopback.ts";
import { assertSafeAddress, assertSafeUrl } from "../../fetch/address-policy.ts";
import { OAuthError } from "../http/oauth-error.ts";
import { readTextAtMost } from "../http/request-parameters.ts";
import { type RegisteredClient, readClientMetadata } from "./client-metadata.ts";

export interface ClientMetadataDocumentsOptions {
  /** Allows documents on this machine, where plain http is allowed too. */
  readonly allowLoopback: boolean;
}

const maxBytes = 16 * 1024;
const timeoutMs = 5000;
const defaultCacheMs = 60_000;
const maxCacheMs = 24 * 60 * 60 * 1000;
const maxCached = 1000;
/** Limits parallel requests, so that the server cannot be used to flood another host. */
const maxReading = 20;
/** The part of them that one address may cause, so that it does not keep the others from logging in. */
const maxReadingPerAddress = 4;
/** A document that can't be used is not asked for again at once. */
const refusedMs = 10_000;

interface CachedClient {
  readonly outcome: RegisteredClient | OAuthError;
  readonly until: number;
}

interface Reading {
  readonly client: Promise<RegisteredClient>;
  readonly address: string | undefined;
}

/** Reads and caches client ID metadata documents. basic/authorization#client-id-metadata-documents (2025-11-25) */
export class ClientMetadataDocuments {
  readonly #allowLoopback: boolean;
  readonly #fetchDocument: FetchDocument;
  /** Past its limit the oldest outcome goes: dropping all would have every client read again. */
  readonly #cached = new BoundedMap<string, CachedClient>(maxCached);
  readonly #reading = new Map<string, Reading>();

  constructor({ allowLoopback }: ClientMetadataDocumentsOptions) {
    this.#allowLoopback = allowLoopback;
    this.#fetchDocument = createDocumentFetch(allowLoopback);
  }

  isDocumentUrl(id: string): boolean {
    return /^https?:\/\//.test(id);
  }

  /** Reads the document of a client id, for a client at this address. Throws OAuthError. */
  async read(id: string, address?: string): Promise<RegisteredClient> {
    const cached = this.#cached.get(id);
    if (cached && cached.until > Date.now()) return orThrow(cached.outcome);
    this.#assertDocumentUrl(id);
    const known = this.#reading.get(id);
    if (known) return known.client;
    this.#assertRoom(address);
    const client = this.#readNew(id);
    this.#reading.set(id, { client, address });
    try {
      return await client;
    } finally {
      this.#reading.delete(id);
    }
  }

  #assertRoom(address: string | undefined): void {
    const fromThere = [...this.#reading.values()].filter((reading) => reading.address === address);
    const isFull = address !== undefined && fromThere.length >= maxReadingPerAddress;
    if (this.#reading.size < maxReading && !isFull) return;
    const message = "Too many client documents are being read; try again later.";
    const headers = { "retry-after": "5" };
    throw new OAuthError("temporarily_unavailable", message, { status: 503, headers });
  }

  async #readNew(id: string): Promise<RegisteredClient> {
    try {
      const { text, cacheMs } = await this.#fetch(id);
      const client = toClient(id, text);
      this.#cache(id, client, cacheMs);
      return client;
    } catch (error) {
      if (error instanceof OAuthError) this.#cache(id, error, refusedMs);
      throw error;
    }
  }

  #cache(id: string, outcome: CachedClient["outcome"], ms: number): void {
    this.#cached.set(id, { outcome, until: Date.now() + ms });
  }

  #assertDocumentUrl(id: string): void {
    const url = URL.canParse(id) ? new URL(id) : undefined;
    if (
      url === undefined ||
      url.href !== id ||
      url.pathname === "/" ||
      url.hash ||
      url.username ||
      url.password
    ) {
      throw invalid("is not the URL of a document");
    }
    const { hostname, protocol } = url;
    if (isLoopbackHost(hostname) && !this.#allowLoopback) throw invalid("is a URL of this machine");
    if (protocol !== "https:" && !isCanonicalLoopbackHost(hostname)) throw invalid("is not https");
  }

  async #fetch(id: string): Promise<{ text: string; cacheMs: number }> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.#fetchDocument(id, { signal, headers: { accept: "application/json" } });
      if (response.status !== 200) throw invalid(`is a URL that answers with status ${response.status}`);
      const text = await readTextAtMost(response.body, maxBytes, signal);
      return { text, cacheMs: toCacheMs(response.headers.get("cache-control")) };
    } catch (error) {
      if (error instanceof OAuthError && error.status === 400) throw error;
      if (error instanceof AuthorizationError) throw invalid("is not a public URL");
      throw invalid("is the URL of a document that cannot be read, or is too large");
    }
  }
}

function orThrow(outcome: CachedClient["outcome"]): RegisteredClient {
  if (outcome instanceof OAuthError) throw outcome;
  return outcome;
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
  if (document?.client_id !== id) throw invalid("differs from the client_id in its document");
  const metadata = readClientMetadata(document, "none");
  // basic/authorization/client-registration#implementation-requirements (2026-07-28)
  if (metadata.client_name === undefined || document.redirect_uris === undefined)
    throw invalid("is the URL of a document without client_name or redirect_uris");
  // The document is public, so it must not rely on a shared secret.
  if (metadata.token_endpoint_auth_method.startsWith("client_secret") || "client_secret" in document) {
    throw invalid("is the URL of a document with a shared secret");
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

function toCacheMs(cacheControl: string | null): number {
  if (cacheControl === null) return defaultCacheMs;
  if (/no-store|no-cache/.test(cacheControl)) return 0;
  const seconds = Number(/max-age=(\d{1,9})/.exec(cacheControl)?.[1] ?? 0);
  return Math.min(seconds * 1000, maxCacheMs);
}

function invalid(problem: string): OAuthError {
  return new OAuthError("invalid_client", `The client id ${problem}.`, { status: 400 });
}
