import type { JsonObject } from "../lib/json.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { ClientCapabilities, Implementation } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";
import { encodeCapabilities } from "./capabilities.ts";

/** Who speaks. */
export interface ClientProfile {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
}

/** What each request says of its sender, in the revisions that have no handshake. */
export function createRequestMeta(revision: Revision, profile: ClientProfile): JsonObject {
  return {
    [MetaKey.protocolVersion]: revision.version,
    [MetaKey.clientInfo]: revision.encode.implementation(profile.info),
    [MetaKey.clientCapabilities]: encodeCapabilities(revision, profile.capabilities),
  };
}
