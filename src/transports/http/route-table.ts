import type { Visitor } from "./endpoint.ts";

export type Route = (visitor: Visitor) => Promise<void> | void;

/** Who may use a route: anybody, or only who was let in. */
export type RouteAccess = "anybody" | "admitted";

export interface RouteRow {
  readonly method: string;
  readonly path: string;
  readonly access: RouteAccess;
  readonly answer: Route;
}

/** What there is at one path. */
interface Place {
  readonly access: RouteAccess;
  readonly methods: Map<string, Route>;
}

/** Everything that is served over HTTP; what is not in here does not exist. */
export class RouteTable {
  readonly rows: readonly RouteRow[];
  readonly #places = new Map<string, Place>();

  /** Of rows for the same path and method the first counts. */
  constructor(rows: readonly RouteRow[]) {
    this.rows = rows;
    for (const { path, access, method, answer } of rows) {
      const place = this.#places.get(path) ?? { access, methods: new Map<string, Route>() };
      this.#places.set(path, place);
      if (place.access === access && !place.methods.has(method)) place.methods.set(method, answer);
    }
  }

  find(path: string): Place | undefined {
    return this.#places.get(path);
  }
}

/** Something that anybody may read. */
export function readable(path: string, answer: Route): readonly RouteRow[] {
  return ["GET", "HEAD"].map((method) => ({ method, path, access: "anybody" as const, answer }));
}
