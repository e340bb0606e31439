import { CapabilityError, NotInRevisionError, UsageError } from "../errors.ts";
import { hasCapability, type ServerCapabilities } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";
import { revisions } from "../protocol/revisions/index.ts";

/**
 * Throws before anything is sent when a method can't work with this server.
 *
 * Methods that no revision has are between the two programs and pass.
 */
export function assertAvailable(method: string, revision: Revision, capabilities: ServerCapabilities): void {
  const row = revision.methods.get(method);
  if (row === undefined) {
    if (revisions.some(({ methods }) => methods.has(method)))
      throw new NotInRevisionError(method, revision.version);
    return;
  }
  if (row.from === "server") throw new UsageError(`${method} is for servers to send.`);
  if (row.needs?.side === "server" && !hasCapability(capabilities, row.needs.capability))
    throw new CapabilityError(row.needs.capability, "server", method);
}
