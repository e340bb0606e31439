import { Empty } from "../../parts/badge.tsx";
import { go, hrefOf, type Query, route } from "../../state/route.ts";
import { connectionOf } from "../../state/session.ts";
import { ServerPage } from "./server-page.tsx";

/** A place inside the view of one server. */
export interface ServerPlace {
  /** The view and what is chosen in it: `["tools", "add"]`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly href: (path: readonly string[], query?: Query) => string;
  readonly go: (path: readonly string[], query?: Query) => void;
}

/** One server, or two beside each other: the second one is in the query of the address. */
export function SideBySide() {
  const [, id = "", ...path] = route.value.path;
  const beside = route.value.query.get("beside");
  const keep = (query: Query): Query => (beside === null ? query : { ...query, beside });
  const left: ServerPlace = {
    path,
    query: route.value.query,
    href: (next, query = {}) => hrefOf(["server", id, ...next], keep(query)),
    go: (next, query = {}) => go(["server", id, ...next], keep(query)),
  };
  const [otherId, ...otherPath] = (beside ?? "").split("/").map(decodeURIComponent);
  return (
    <div class={`beside${otherId ? " two" : ""}`}>
      <One id={id} place={left} />
      {otherId && <One id={otherId} place={rightPlace(id, path, otherId, otherPath)} />}
    </div>
  );
}

function rightPlace(
  id: string,
  path: readonly string[],
  otherId: string,
  otherPath: readonly string[],
): ServerPlace {
  const query = (next: readonly string[]) => ({
    beside: [otherId, ...next].map(encodeURIComponent).join("/"),
  });
  return {
    path: otherPath,
    query: new URLSearchParams(),
    href: (next) => hrefOf(["server", id, ...path], query(next)),
    go: (next) => go(["server", id, ...path], query(next)),
  };
}

function One({ id, place }: { readonly id: string; readonly place: ServerPlace }) {
  const connection = connectionOf(id);
  if (!connection) return <Empty title="This connection is gone">Connect to the server again.</Empty>;
  return <ServerPage key={id} connection={connection} place={place} />;
}
