import type { Call } from "../contract/call.ts";
import { CapabilityError } from "../errors.ts";
import type { Method } from "../protocol/method.ts";
import { hasCapability, missingOf } from "../protocol/model/identity.ts";
import { methodNotFound } from "../protocol/wire-error.ts";
import type { Catalog } from "./catalog/catalog.ts";

/** Checks, before a handler runs, that both sides have declared the capabilities and the extension of a method. */
export function assertCapabilities(catalog: Catalog, row: Method, call: Call): void {
  const { name, needs } = row;
  if (needs?.side === "server" && !hasCapability(catalog.capabilities, needs.capability))
    throw methodNotFound(name);
  assertClientDeclares(row, call);
}

/** basic/versioning#extension-negotiation (2026-07-28): a client that lacks the extension is refused. */
function assertClientDeclares({ name, needs, extension }: Method, { client }: Call): void {
  if (needs?.side !== "client" && extension === undefined) return;
  const needed = [
    ...(needs?.side === "client" ? [needs.capability] : []),
    ...(extension === undefined ? [] : [`extensions.${extension}`]),
  ];
  const missing = missingOf(needed, client.capabilities);
  if (missing.length > 0) throw new CapabilityError(missing, "client", name);
}
