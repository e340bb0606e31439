import type { ServerAuth } from "../../contract/http-auth.ts";
import { BearerGate } from "./bearer-gate.ts";
import type { BearerOptions } from "./bearer-options.ts";
import { toBearerSettings } from "./bearer-settings.ts";

/**
 * Lets in who brings an access token that was issued for this server (OAuth 2.1, RFC 6750, RFC 9728).
 *
 * Give it to `serveHttp`, `createNodeHandler` or `createFetchHandler` as `auth`. Throws
 * UsageError for options that can't be right.
 */
export function bearer(options: BearerOptions): ServerAuth {
  const settings = toBearerSettings(options);
  return { protect: (place) => new BearerGate(settings, place) };
}
