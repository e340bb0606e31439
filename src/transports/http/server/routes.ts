import type { AdmittedRequest } from "./admission.ts";

export type HttpRouteHandler = (admitted: AdmittedRequest) => Promise<void> | void;

/** The callers of a route: anybody, or only those that were admitted. */
export type RouteAccess = "anybody" | "admitted";

export interface HttpRoute {
  readonly method: string;
  readonly path: string;
  readonly access: RouteAccess;
  readonly handle: HttpRouteHandler;
}

/** The routes of one path. */
interface PathRoutes {
  readonly access: RouteAccess;
  readonly methods: Map<string, HttpRouteHandler>;
}

/** All routes that are served over HTTP; a path that is not in here does not exist. */
export class RouteTable {
  readonly rows: readonly HttpRoute[];
  readonly #paths = new Map<string, PathRoutes>();

  /** Of two rows for the same path and method the first counts. */
  constructor(rows: readonly HttpRoute[]) {
    this.rows = rows;
    for (const { path, access, method, handle } of rows) {
      const routes = this.#paths.get(path) ?? { access, methods: new Map<string, HttpRouteHandler>() };
      this.#paths.set(path, routes);
      if (routes.access === access && !routes.methods.has(method)) routes.methods.set(method, handle);
    }
  }

  find(path: string): PathRoutes | undefined {
    return this.#paths.get(path);
  }
}

/** Routes that anybody may read. */
export function publicRoutes(path: string, handle: HttpRouteHandler): readonly HttpRoute[] {
  return ["GET", "HEAD"].map((method) => ({ method, path, access: "anybody" as const, handle }));
}

/** A route for those that were admitted. */
export function admittedRoute(method: string, path: string, handle: HttpRouteHandler): HttpRoute {
  return { method, path, access: "admitted", handle };
}
