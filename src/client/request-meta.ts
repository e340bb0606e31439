import type { JsonObject } from "../lib/json.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { ClientCapabilities, Implementation } from "../protocol/model/identity.ts";
import type { Revision } from "../protocol/revision.ts";
import { encodeCapabilities } from "./capabilities.ts";

/** The name and capabilities of a client. */
export interface ClientProfile {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
}

/**
 * The `_meta` by which each request describes its sender, in revisions without a handshake.
 *
 * basic#meta (2026-07-28)
 */
export function createRequestMeta(revision: Revision, profile: ClientProfile): JsonObject {
  return {
    [MetaKey.protocolVersion]: revision.version,
    [MetaKey.clientInfo]: revision.encode.implementation(profile.info),
    [MetaKey.clientCapabilities]: encodeCapabilities(revision, profile.capabilities),
  };
}
