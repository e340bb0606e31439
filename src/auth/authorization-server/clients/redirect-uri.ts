import { isCanonicalLoopbackHost } from "../../../lib/loopback.ts";

/** The schemes of editors that do not follow RFC 8252, section 7.1. */
const knownSchemes: ReadonlySet<string> = new Set([
  "vscode:",
  "vscode-insiders:",
  "cursor:",
  "windsurf:",
  "zed:",
]);

/**
 * Finds why a redirect URI is not allowed; undefined when it is.
 *
 * basic/authorization#communication-security (2025-11-25) allows https and this machine. Schemes of
 * applications are allowed beside them, because editors have no other address.
 */
export function findRedirectUriProblem(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined) return "is not an absolute URI";
  // The URL parser accepts these, so two parsers may see two different URIs.
  if (/[\s\\<>"'`]|[^\x20-\x7e]/.test(uri)) return "has characters that are not allowed in a URI";
  if (uri.includes("#")) return "has a fragment";
  if (url.username !== "" || url.password !== "") return "has a user name or a password";
  if (url.protocol === "https:") return undefined;
  if (url.protocol === "http:")
    return isCanonicalLoopbackHost(url.hostname) ? undefined : "is http, but not on loopback";
  // RFC 8252, section 7.1. An allowlist, since schemes like `javascript:` are dangerous.
  const isReversedDomain = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(url.protocol);
  return isReversedDomain || knownSchemes.has(url.protocol) ? undefined : "has a scheme that is not allowed";
}

/**
 * True when a redirect URI is exactly one that the client registered.
 *
 * A loopback URI that was registered without a port matches any port, since a native application
 * cannot know which one will be free (RFC 8252, section 7.3).
 */
export function isRegisteredRedirectUri(uri: string, registered: readonly string[]): boolean {
  return registered.includes(uri) || registered.includes(withoutPort(uri) ?? uri);
}

function withoutPort(uri: string): string | undefined {
  const [, before, host, after = ""] =
    /^(http:\/\/)(127\.0\.0\.1|\[::1\]|localhost):\d{1,5}([/?].*)?$/.exec(uri) ?? [];
  // A port past 65,535 makes it no URL, which could not be redirected to.
  return host === undefined || !URL.canParse(uri) ? undefined : `${before}${host}${after}`;
}
