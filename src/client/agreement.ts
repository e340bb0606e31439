import type { Channel } from "../contract/channel.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { withSafeIcons } from "../protocol/check/safe-icons.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { Implementation, ServerCapabilities } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";

/** The description that a server gives of itself, and the revision agreed on with it. */
export interface ServerDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  readonly revision: string;
}

/** The outcome of negotiation. A handshake still has to be confirmed. */
export interface Agreement {
  readonly channel: Channel;
  readonly revision: Revision;
  /** The revision in whose words the capabilities of this client were declared: the one that was offered. */
  readonly declaredIn: Revision;
  readonly server: ServerDescription;
}

/** Reads the answer to `initialize` or `server/discover`; what a server leaves out is taken as none. */
export function describeServer(result: JsonObject, revision: string): ServerDescription {
  const meta = isObject(result._meta) ? result._meta : {};
  return {
    // Some servers of the revision that moved it to the metadata still have it in the body.
    info: toImplementation(meta[MetaKey.serverInfo]) ?? toImplementation(result.serverInfo),
    capabilities: isObject(result.capabilities) ? result.capabilities : {},
    instructions: typeof result.instructions === "string" ? result.instructions : undefined,
    revision,
  };
}

function toImplementation(value: unknown): Implementation | undefined {
  if (!isObject(value) || typeof value.name !== "string") return undefined;
  return withSafeIcons({ ...value, name: value.name, version: String(value.version ?? "") });
}
