import type { JsonObject } from "../protocol/json.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { ClientCapabilities, Implementation } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";
import { encodeCapabilities } from "./capabilities.ts";

/** Who speaks. */
export interface Speaker {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
}

/** What each request says of its sender, in the revisions that have no handshake. */
export function createRequestMeta(revision: Revision, speaker: Speaker): JsonObject {
  return {
    [MetaKey.protocolVersion]: revision.version,
    [MetaKey.clientInfo]: revision.encode.implementation(speaker.info),
    [MetaKey.clientCapabilities]: encodeCapabilities(revision, speaker.capabilities),
  };
}
