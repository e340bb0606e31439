import { decode, hrefOf, type Query, route } from "../../state/route.ts";

/** Servers that are shown at a time. */
const maxPanes = 4;

/** A server that is shown, with the view of it and what is chosen there: `["tools", "add"]`. */
export interface Pane {
  readonly id: string;
  readonly path: readonly string[];
}

/** A place inside the view of one server. */
export interface ServerPlace {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly href: (path: readonly string[], query?: Query) => string;
  readonly go: (path: readonly string[], query?: Query) => void;
  /** Shows a server at the right of all others; absent where there is no room, and beside the first one. */
  readonly add?: (id: string) => void;
  /** Takes this server out; absent for the first one. */
  readonly close?: () => void;
}

/** The servers that the address names. */
export function readPanes(): readonly Pane[] {
  const [, id = "", ...path] = route.value.path;
  const others = (route.value.query.get("beside") ?? "")
    .split(",")
    .map((text) => text.split("/").map(decode))
    .flatMap(([other, ...its]) => (other ? [{ id: other, path: its }] : []));
  return [{ id, path }, ...others].slice(0, maxPanes);
}

function hrefOfPanes([first, ...others]: readonly Pane[], query: Query): string {
  const beside = others.map(({ id, path }) => [id, ...path].map(encodeURIComponent).join("/")).join(",");
  return hrefOf(["server", first?.id ?? "", ...(first?.path ?? [])], { ...query, beside });
}

/** The place of one of the servers that are shown. */
export function placeOf(panes: readonly Pane[], at: number): ServerPlace {
  const { query } = route.value;
  const isFirst = at === 0;
  // The query belongs to the first server, and stays while another one changes.
  const href: ServerPlace["href"] = (path, given = {}) =>
    hrefOfPanes(
      panes.map((pane, other) => (other === at ? { ...pane, path } : pane)),
      isFirst ? given : Object.fromEntries(query),
    );
  const show = (next: readonly Pane[]) => {
    location.hash = hrefOfPanes(next, Object.fromEntries(query));
  };
  return {
    path: panes[at]?.path ?? [],
    query: isFirst ? query : new URLSearchParams(),
    href,
    go: (path, given) => {
      location.hash = href(path, given);
    },
    ...(isFirst &&
      panes.length < maxPanes && { add: (id: string) => show([...panes, { id, path: ["tools"] }]) }),
    ...(!isFirst && { close: () => show(panes.toSpliced(at, 1)) }),
  };
}
