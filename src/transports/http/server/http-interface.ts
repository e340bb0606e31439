import type { SharedDeadline } from "./shared-deadline.ts";

/** One HTTP request, as far as this transport looks at it. */
export interface HttpRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** By its lower-case name; a header that came twice is joined by commas. */
  header(name: string): string | undefined;
  /** The whole body as text. */
  readText(limits: BodyLimits): Promise<BodyText>;
  /** The address the request came from, where the platform tells. */
  readonly address: string | undefined;
}

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyMs: number;
  /** Over after `bodyMs`. */
  readonly bodyDeadline: SharedDeadline;
}

export type BodyText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 408 | 413; readonly problem: string };

export type ResponseHeaders = { readonly [name: string]: string };

/** The answer to one HTTP request: sent whole, or as a stream of events. */
export interface HttpReply {
  /** After a stream has begun there is nothing left to send, so it breaks off. */
  send(status: number, headers: ResponseHeaders, body?: string): void;
  stream(headers: ResponseHeaders): EventSink;
  /** Told once if the client goes, or is cut, before the answer is complete. */
  onGone(listener: () => void): void;
}

/** Where the text of a stream of events goes. A reader that takes nothing for too long is cut. */
export interface EventSink {
  /** Bytes that wait for the reader. */
  readonly bufferedBytes: number;
  /** A promise only when the reader is behind; it settles when there is room, or when nobody reads any more. */
  write(text: string): void | Promise<void>;
  end(): void;
}

/** Unread bytes beyond which a writer is told to wait. */
export const highWaterBytes: number = 64 * 1024;
/** Unread bytes beyond which nothing more is taken, and a writer that goes on loses its reader. */
export const maxBufferedBytes: number = 1024 * 1024;
