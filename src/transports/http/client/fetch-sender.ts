import type { HeaderRecord } from "../../../contract/channel.ts";
import type { ReceivedResponse, SendRequest } from "./http-exchange.ts";
import { toAbortSignal } from "./light-signal.ts";
import { toCallLost } from "./network-failure.ts";

/** Makes requests by a `fetch`: that of the platform, or one that the host gave. */
export function fetchSender(fetch: typeof globalThis.fetch): SendRequest {
  return async (url, { method, headers, body, signal: given }) => {
    const signal = toAbortSignal(given);
    const init = { method, headers: await toHeaders(headers), signal, redirect: "manual" as const };
    try {
      const response = await fetch(url, body === undefined ? init : { ...init, body });
      return new FetchResponse(response, url);
    } catch (error) {
      throw signal.aborted ? error : toFailure(url, error);
    }
  };
}

async function toHeaders(headers: HeaderRecord): Promise<Headers> {
  try {
    return new Headers(headers);
  } catch (error) {
    // Loaded on demand: it explains a mistake.
    const { toHeaderError } = await import("./header-error.ts");
    throw toHeaderError(headers, error);
  }
}

/** The loss of a call, where the network failed: by the standard, all of its failures are of type TypeError. */
function toFailure(url: URL, error: unknown): unknown {
  return error instanceof TypeError ? toCallLost(url, error) : error;
}

/** A response of `fetch`. */
export class FetchResponse implements ReceivedResponse {
  readonly #response: Response;
  readonly #url: URL;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(response: Response, url: URL) {
    this.#response = response;
    this.#url = url;
  }

  get status(): number {
    return this.#response.status;
  }

  get statusText(): string {
    return this.#response.statusText;
  }

  get hidesTarget(): boolean {
    return this.#response.type === "opaqueredirect";
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  async readBody(onPiece: (piece: Uint8Array) => void): Promise<void> {
    if (this.#response.body === null) return;
    const reader = this.#response.body.getReader();
    this.#reader = reader;
    const read = () => reader.read().catch((error: unknown) => Promise.reject(toFailure(this.#url, error)));
    try {
      for (let next = await read(); !next.done; next = await read()) onPiece(next.value);
    } catch (error) {
      this.discardBody();
      throw error;
    }
  }

  discardBody(): void {
    // A body that is broken already has nothing to cancel.
    (this.#reader ?? this.#response.body)?.cancel().catch(() => {});
  }

  toHead(): Response {
    return this.#response;
  }
}
