import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import type { AdmittedRequest } from "../admission/admission.ts";
import type { BodyText } from "../request/body-limits.ts";

/** A request that can be answered once its body is read. */
export interface AwaitedBody {
  readonly admitted: AdmittedRequest;
  readonly receive: (body: BodyText) => MaybePromise<void>;
}

/** Answers a request, or returns that its body must be read first. */
export type HttpRouteHandler = (admitted: AdmittedRequest) => RouteOutcome;
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers at once returns nothing
export type RouteOutcome = MaybePromise<AwaitedBody | void>;

/** The callers of a route: anybody, or only those that were admitted. */
export type RouteAccess = "anybody" | "admitted";

export interface HttpRoute {
  readonly method: string;
  readonly path: string;
  readonly access: RouteAccess;
  readonly handle: HttpRouteHandler;
}

/** The path of the endpoint, here and in the URL that clients use. */
export interface EndpointPath {
  readonly path: string;
  /** Undefined where no public URL was given. */
  readonly publicPath: string | undefined;
}

/** The routes of one path. */
interface PathRoutes {
  readonly access: RouteAccess;
  readonly methods: Map<string, HttpRouteHandler>;
}

/** All routes that are served over HTTP; a path that is not in here does not exist. */
export class RouteTable {
  readonly rows: readonly HttpRoute[];
  readonly #endpoint: EndpointPath;
  readonly #paths = new Map<string, PathRoutes>();

  /** Of two rows for the same path and method the first counts. */
  constructor(rows: readonly HttpRoute[], endpoint: EndpointPath) {
    this.rows = rows;
    this.#endpoint = endpoint;
    for (const { path, access, method, handle } of rows) {
      const routes = this.#paths.get(path) ?? { access, methods: new Map<string, HttpRouteHandler>() };
      this.#paths.set(path, routes);
      if (routes.access === access && !routes.methods.has(method)) routes.methods.set(method, handle);
    }
  }

  find(path: string): PathRoutes | undefined {
    return this.#paths.get(path);
  }

  /**
   * The path of the route for a request; undefined where nothing is served.
   *
   * `mountPath` is the path under which a router hands requests over. Only what a router or the public URL
   * says counts as such a path: if `/anything/mcp` were `/mcp`, it would go around a check of `/mcp` in front.
   */
  resolve(path: string, mountPath: string): string | undefined {
    if (this.#paths.has(path)) return path;
    return this.#match(path) ?? this.#matchBelow(path, mountPath) ?? this.#matchPublic(path);
  }

  /** A path of the table, with or without a slash at its end. */
  #match(path: string): string | undefined {
    const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    return this.#paths.has(plain) ? plain : undefined;
  }

  #matchBelow(path: string, mountPath: string): string | undefined {
    if (mountPath === "" || !path.startsWith(mountPath)) return undefined;
    const below = path.slice(mountPath.length) || "/";
    const found = this.#match(below);
    if (found !== undefined || below !== "/") return found;
    // Mounted exactly at a path such as /api/mcp.
    return [...this.#paths.keys()].find((route) => route !== "/" && mountPath.endsWith(route));
  }

  #matchPublic(path: string): string | undefined {
    const { path: own, publicPath } = this.#endpoint;
    if (publicPath === undefined) return undefined;
    if (path === publicPath || path === `${publicPath}/`) return own;
    return publicPath.endsWith(own) ? this.#matchBelow(path, publicPath.slice(0, -own.length)) : undefined;
  }
}

/** The path under which a router hands requests over, by the pattern of the route that it found. */
export function toMountPath(path: string, pattern: string): string {
  const star = pattern.indexOf("*");
  // The route names this path, so it was meant for us.
  if (star < 0) return path;
  const depth = pattern.slice(0, star).split("/").length - 1;
  return path.split("/").slice(0, depth).join("/");
}

/** Routes that anybody may read. */
export function publicRoutes(path: string, handle: HttpRouteHandler): readonly HttpRoute[] {
  return ["GET", "HEAD"].map((method) => ({ method, path, access: "anybody" as const, handle }));
}

/** A route for those that were admitted. */
export function admittedRoute(method: string, path: string, handle: HttpRouteHandler): HttpRoute {
  return { method, path, access: "admitted", handle };
}
