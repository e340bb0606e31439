import type { HeaderRecord } from "../../../contract/channel.ts";
import type { LightSignal } from "./light-signal.ts";

/** One HTTP request of the client. */
export interface SentHttpRequest {
  readonly method: string;
  /** By lower-case names. */
  readonly headers: HeaderRecord;
  readonly body?: string | undefined;
  /** Ends the exchange, also while its body is read. */
  readonly signal: AbortSignal | LightSignal;
}

/** One HTTP response, as far as the client reads it. */
export interface ReceivedResponse {
  readonly status: number;
  readonly statusText: string;
  /** True for a redirect whose target the platform hides. */
  readonly hidesTarget: boolean;
  /** The value of a header, by its lower-case name. */
  header(name: string): string | undefined;
  /** Calls back with every piece of the body; rejects when the body breaks off. What `onPiece` throws ends the exchange. */
  readBody(onPiece: (piece: Uint8Array) => void): Promise<void>;
  /** Gives up the rest of the body, which frees the connection. Ends `readBody`. */
  discardBody(): void;
  /** The same without its body, for those who know the web's interfaces. */
  toHead(): Response;
}

/**
 * Makes one HTTP request and does not follow redirects.
 *
 * Rejects with CallLostError when the network fails, and with the reason of the signal.
 */
export type SendRequest = (url: URL, request: SentHttpRequest) => Promise<ReceivedResponse>;

export function isOk({ status }: ReceivedResponse): boolean {
  return status >= 200 && status < 300;
}

/** The media type of an answer, without parameters. */
export function mediaTypeOf(response: ReceivedResponse): string {
  return (response.header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
