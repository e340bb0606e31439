import { signal } from "@preact/signals";

/** The place that the address names: `#/server/c1/tools/add?view=json`. */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export const route = signal<Route>(parse(location.hash));

addEventListener("hashchange", readAddress);

function readAddress(): void {
  route.value = parse(location.hash);
}

function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

export function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A person may type any address; one that is not encoded well is taken as it stands.
    return part;
  }
}

export type Query = Readonly<Record<string, string | undefined>>;

export function hrefOf(path: readonly string[], query: Query = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

export function go(path: readonly string[], query: Query = {}): void {
  location.hash = hrefOf(path, query);
  // The event comes later than an answer that depends on the place.
  readAddress();
}

/** Changes members of the query in place; a person who goes back leaves the page at once. */
export function setQuery(changes: Query): void {
  const { path, query } = route.value;
  const next = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, "", hrefOf(path, next));
  readAddress();
}
