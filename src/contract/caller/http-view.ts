import { isSecretValue } from "../../lib/text/secret-name.ts";

/** The HTTP request that brought a call, as handlers see it. */
export interface HttpView {
  readonly method: string;
  /** The URL that was requested, with its query. Behind a proxy it may differ from the one that the client used. */
  readonly url: string;
  readonly headers: RequestHeaders;
}

/**
 * The headers of a request, to be read only.
 *
 * Those with credentials, such as `authorization` and `cookie`, are given by name and left out of the iteration,
 * so that a handler that logs or returns all headers gives none away.
 */
export interface RequestHeaders extends Iterable<readonly [name: string, value: string]> {
  /** The value, by the name in any case; a header that came twice is joined by commas. */
  get(name: string): string | null;
  has(name: string): boolean;
}

/** An HTTP request as transports see it; names of headers are in lower case. */
export interface RequestSource {
  readonly method: string;
  readonly url: string;
  header(name: string): string | undefined;
  headerNames(): Iterable<string>;
}

/** The view of a request. Reads nothing until it is asked. */
export function toHttpView(source: RequestSource): HttpView {
  return {
    get method() {
      return source.method;
    },
    get url() {
      return source.url;
    },
    headers: new SourceHeaders(source),
  };
}

class SourceHeaders implements RequestHeaders {
  readonly #source: RequestSource;

  constructor(source: RequestSource) {
    this.#source = source;
  }

  get(name: string): string | null {
    return this.#source.header(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  *[Symbol.iterator](): Iterator<readonly [string, string]> {
    for (const name of this.#source.headerNames()) {
      const value = this.#source.header(name);
      if (value !== undefined && !isSecretValue(name, value)) yield [name, value];
    }
  }
}
