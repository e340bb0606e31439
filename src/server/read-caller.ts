import type { CallingClient } from "../contract/service.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { withSafeIcons } from "../protocol/check/safe-icons.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { Implementation } from "../protocol/model/identity.ts";
import { isLogLevel, logLevels } from "../protocol/model/logging.ts";
import { resolveRequestRevision, type SupportedRevisions } from "../protocol/negotiate.ts";
import { invalidParams } from "../protocol/wire-error.ts";

/** The caller as a request describes it in its own metadata. basic#meta (2026-07-28) */
export function readCaller(params: JsonObject, supported: SupportedRevisions): CallingClient {
  const meta = isObject(params._meta) ? params._meta : {};
  const version = meta[MetaKey.protocolVersion];
  if (typeof version !== "string") throw unnamedVersion(supported);
  const revision = resolveRequestRevision(version, supported);
  const capabilities = meta[MetaKey.clientCapabilities];
  if (!isObject(capabilities)) throw missing(MetaKey.clientCapabilities, "an object");
  const level = meta[MetaKey.logLevel];
  if (level !== undefined && !isLogLevel(level))
    throw invalidParams(`_meta["${MetaKey.logLevel}"] must be one of ${logLevels.join(", ")}.`);
  const info = meta[MetaKey.clientInfo];
  return {
    revision,
    client: {
      info: isObject(info) ? withSafeIcons(info as unknown as Implementation) : undefined,
      capabilities,
    },
  };
}

/**
 * The reason may be all that the user of an older client sees.
 *
 * basic/versioning#backward-compatibility-with-initialization-based-versions (2026-07-28)
 */
function unnamedVersion({ names }: SupportedRevisions) {
  const { message } = missing(MetaKey.protocolVersion, "a string");
  return invalidParams(`${message} This server speaks ${names.join(", ")}.`, { supported: names });
}

function missing(key: string, kind: string) {
  return invalidParams(`_meta["${key}"] must be ${kind}; each request needs it.`);
}
