import type { WireFilter, WireKind } from "../../../src/inspector/messages/wire.ts";
import type { Query } from "../state/route.ts";

export const kinds: readonly WireKind[] = [
  "request",
  "response",
  "error",
  "notification",
  "batch",
  "invalid",
  "http",
  "note",
];

/** The filter that the query of an address says. */
export function toFilter(query: URLSearchParams): WireFilter {
  const direction = query.get("direction");
  const between = /^(\d+)-(\d+)$/.exec(query.get("between") ?? "");
  const kind = listOf(query.get("kind")).filter((name): name is WireKind =>
    (kinds as readonly string[]).includes(name),
  );
  const connections = listOf(query.get("server"));
  const methods = listOf(query.get("method"));
  const search = query.get("q");
  return {
    ...(connections.length > 0 && { connections }),
    ...((direction === "sent" || direction === "received") && { direction }),
    ...(kind.length > 0 && { kinds: kind }),
    ...(methods.length > 0 && { methods }),
    ...(search && { search }),
    ...(query.has("warnings") && { hasWarnings: true }),
    ...(between && { between: [Number(between[1]), Number(between[2])] as const }),
  };
}

function listOf(text: string | null): readonly string[] {
  return text ? text.split(",").filter(Boolean) : [];
}

export function isEmpty(filter: WireFilter): boolean {
  return Object.keys(filter).length === 0;
}

/** The members of a query that hold a filter, all of them taken out. */
export const noFilter: Query = Object.fromEntries(
  ["server", "direction", "kind", "method", "q", "warnings", "between"].map((name) => [name, undefined]),
);
