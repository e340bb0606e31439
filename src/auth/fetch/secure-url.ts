import { AuthorizationError, UsageError } from "../../errors.ts";
import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";
import { isLoopbackUrl } from "./address-policy.ts";

/** A URL that keys and tokens may be requested from: https, or http on this machine. Throws UsageError. */
export function toSecureUrl(option: string, given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isCanonicalLoopbackHost(url.hostname)))
    return url;
  throw new UsageError(
    `${option}: ${JSON.stringify(String(given))} must be an https URL; http is allowed on this machine only.`,
  );
}

/**
 * Refuses to send credentials to a URL without encryption, unless it is on this machine.
 *
 * basic/authorization#communication-security (2025-11-25)
 */
export function assertConfidential(url: URL): void {
  if (url.protocol === "https:" || isLoopbackUrl(url)) return;
  throw new AuthorizationError(
    `Credentials are not sent to ${url.origin}, which is not encrypted; use https.`,
    "unsafe-address",
  );
}
