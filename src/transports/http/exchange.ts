/** One HTTP request, as far as this transport looks at it. */
export interface HttpRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** By its lower-case name; a header that came twice is joined by commas. */
  header(name: string): string | undefined;
  /** The whole body as text. */
  readText(maxBytes: number): Promise<BodyText>;
  /** The address the request came from, where the platform tells. */
  readonly address: string | undefined;
}

export type BodyText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 408 | 413; readonly problem: string };

export type Headers = { readonly [name: string]: string };

/** The answer to one HTTP request: sent whole, or as a stream of events. */
export interface HttpReply {
  send(status: number, headers: Headers, body?: string): void;
  stream(headers: Headers): EventSink;
  /** Told once if the client goes before the answer is complete. */
  onGone(listener: () => void): void;
}

/** Where the text of a stream of events goes. */
export interface EventSink {
  /** A promise only when the reader is behind; it settles when there is room, or when nobody reads any more. */
  write(text: string): void | Promise<void>;
  end(): void;
  /** Breaks the connection, with what is still unread. */
  cut(): void;
}
