import type { HolderSource } from "../../../../contract/caller/holder.ts";
import { type HttpRequest, type PathResolver, toRoutePrefix } from "../http-interface.ts";
import type { BodyLimits, BodyText } from "../request/body-limits.ts";
import { toMountPath } from "../routing/routes.ts";
import { findAddress, type RuntimeArguments, type WaitUntil } from "./fetch-runtime.ts";
import { readFetchBody } from "./read-body.ts";

/** A request as a runtime or a router hands it on. */
export interface FetchCall {
  readonly request: Request;
  /** The pattern of the route by which a router found us. */
  readonly pattern: string | undefined;
  readonly runtime: RuntimeArguments;
  readonly waitUntil: WaitUntil | undefined;
}

/** A `Request` of the web platform. */
export class FetchRequest implements HttpRequest {
  readonly #request: Request;
  readonly path: string;
  readonly query: string;
  readonly #host: string;
  readonly #whole: string;
  readonly #mountPath: string;
  readonly #runtime: RuntimeArguments;
  readonly waitUntil: WaitUntil | undefined;

  constructor({ request, pattern, runtime, waitUntil }: FetchCall, paths: PathResolver) {
    this.#request = request;
    this.#runtime = runtime;
    this.waitUntil = waitUntil;
    const url = new URL(request.url);
    const { pathname } = url;
    this.#whole = pathname;
    this.#mountPath = pattern === undefined ? "" : toMountPath(pathname, pattern);
    this.path = paths.resolve(pathname, this.#mountPath) ?? pathname;
    this.query = url.search.slice(1);
    this.#host = url.host;
  }

  get address(): string | undefined {
    return findAddress(this.#request, this.#runtime);
  }

  get prefix(): string {
    return toRoutePrefix(this.path, this.#whole);
  }

  get mountPath(): string {
    return this.#mountPath === this.prefix ? this.#mountPath : "";
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.url;
  }

  headerNames(): Iterable<string> {
    return this.#request.headers.keys();
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // Some platforms give the host only in the URL.
    return name === "host" ? this.#host : undefined;
  }

  readText(limits: BodyLimits, caller: HolderSource, receive: (body: BodyText) => void): void {
    void readFetchBody(this.#request, limits, caller).then(receive);
  }
}
