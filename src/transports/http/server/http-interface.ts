import type { HolderSource } from "../../../contract/caller/holder.ts";
import type { BodyLimits, BodyText } from "./request/body-limits.ts";

/** One HTTP request, as far as this transport looks at it. */
export interface HttpRequest {
  readonly method: string;
  /** The path of the route: without the query, and without the prefix. */
  readonly path: string;
  /** The part of the request's path before the route, where a router or the public URL puts one. */
  readonly prefix: string;
  /** The prefix, where a router hands over everything below it; otherwise empty. */
  readonly mountPath: string;
  readonly query: string;
  /** The whole URL, as far as it is known. */
  readonly url: string;
  /** The Host header where the target of the request names a host, which replaces it. */
  readonly replacedHost?: string | undefined;
  /** By its lower-case name; a header that came twice is joined by commas. */
  header(name: string): string | undefined;
  /** In lower case. */
  headerNames(): Iterable<string>;
  /** Passes the whole body on as text, once. Bytes that wait for the rest count for the caller. */
  readText(limits: BodyLimits, caller: HolderSource, receive: (body: BodyText) => void): void;
  /** The address the request came from, where the platform knows it. */
  readonly address: string | undefined;
  /** Keeps the runtime from ending work that outlives the response, where it would. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

export type ResponseHeaders = { readonly [name: string]: string };

/** Finds the path of a route, which may be mounted under another path. */
export interface PathResolver {
  resolve(path: string, mountPath: string): string | undefined;
}

/** The part of a request's path before its route; a slash at the end does not count. */
export function toRoutePrefix(route: string, path: string): string {
  if (route === path) return "";
  const plain = path.endsWith("/") && !route.endsWith("/") ? path.slice(0, -1) : path;
  return plain.endsWith(route) ? plain.slice(0, -route.length) : "";
}

/** The answer to one HTTP request: sent whole, or as a stream of events. */
export interface HttpReply {
  /** Sends a whole answer. After a stream has begun nothing can be sent any more, so the stream breaks off. */
  send(status: number, headers: ResponseHeaders, body?: string): void;
  stream(headers: ResponseHeaders): EventSink;
  /** Notes the caller for which bytes count while they wait for the reader, where the platform shows them. */
  countUnread?(limits: BodyLimits, caller: HolderSource): void;
  /** Calls the listener once if the client goes, or is cut, before the answer is complete. */
  onGone(listener: () => void): void;
}

/** The text of an event stream on its way to the client. A reader that takes nothing for too long is cut. */
export interface EventSink {
  /** Bytes that wait for the reader. */
  readonly bufferedBytes: number;
  /** A promise only when the reader is behind; it settles when there is room, or when the reader is gone. */
  write(text: string): void | Promise<void>;
  end(): void;
}

/** Unread bytes beyond which a writer has to wait. */
export const highWaterBytes: number = 64 * 1024;
/** Unread bytes beyond which nothing more is taken, and a writer that goes on loses its reader. */
export const maxBufferedBytes: number = 1024 * 1024;

/** A reply that adds these headers to whatever is sent. */
export function withResponseHeaders(reply: HttpReply, more: ResponseHeaders): HttpReply {
  return {
    send: (status, headers, body) => reply.send(status, { ...headers, ...more }, body),
    stream: (headers) => reply.stream({ ...headers, ...more }),
    countUnread: (...unread) => reply.countUnread?.(...unread),
    onGone: (listener) => reply.onGone(listener),
  };
}
