import type { AdmittedRequest } from "./endpoint-context.ts";

export type HttpRouteHandler = (visitor: AdmittedRequest) => Promise<void> | void;

/** Who may use a route: anybody, or only who was let in. */
export type RouteAccess = "anybody" | "admitted";

export interface HttpRoute {
  readonly method: string;
  readonly path: string;
  readonly access: RouteAccess;
  readonly answer: HttpRouteHandler;
}

/** What there is at one path. */
interface Place {
  readonly access: RouteAccess;
  readonly methods: Map<string, HttpRouteHandler>;
}

/** Everything that is served over HTTP; what is not in here does not exist. */
export class RouteTable {
  readonly rows: readonly HttpRoute[];
  readonly #places = new Map<string, Place>();

  /** Of rows for the same path and method the first counts. */
  constructor(rows: readonly HttpRoute[]) {
    this.rows = rows;
    for (const { path, access, method, answer } of rows) {
      const place = this.#places.get(path) ?? { access, methods: new Map<string, HttpRouteHandler>() };
      this.#places.set(path, place);
      if (place.access === access && !place.methods.has(method)) place.methods.set(method, answer);
    }
  }

  find(path: string): Place | undefined {
    return this.#places.get(path);
  }
}

/** Something that anybody may read. */
export function publicRoutes(path: string, answer: HttpRouteHandler): readonly HttpRoute[] {
  return ["GET", "HEAD"].map((method) => ({ method, path, access: "anybody" as const, answer }));
}
