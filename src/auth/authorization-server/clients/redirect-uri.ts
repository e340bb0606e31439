import { isCanonicalLoopbackHost } from "../../../lib/loopback.ts";

/** Schemes of editors that came before the rule that such a scheme is a reversed domain name. */
const knownSchemes: ReadonlySet<string> = new Set([
  "vscode:",
  "vscode-insiders:",
  "cursor:",
  "windsurf:",
  "zed:",
]);

/** Why nobody may be sent to an address; undefined when one may. */
export function findRedirectUriProblem(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined) return "is no absolute URI";
  // The parser forgives these, so two readers may see two addresses.
  if (/[\s\\<>"'`]|[^\x20-\x7e]/.test(uri)) return "has characters that no URI has";
  if (uri.includes("#")) return "has a fragment";
  if (url.username !== "" || url.password !== "") return "names a user";
  if (url.protocol === "https:") return undefined;
  if (url.protocol === "http:")
    return isCanonicalLoopbackHost(url.hostname) ? undefined : "is http, but not on loopback";
  // RFC 8252, 7.1. Without a list of what is allowed, `javascript:` and its like would be.
  const isReversedDomain = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(url.protocol);
  return isReversedDomain || knownSchemes.has(url.protocol) ? undefined : "has a scheme that is not allowed";
}

/**
 * Whether an address is one of those a client registered: the very same string.
 *
 * Only a loopback address that was registered without a port stands for itself on any
 * port, since a native application can't know which one will be free (RFC 8252, 7.3).
 */
export function isRegisteredRedirectUri(uri: string, registered: readonly string[]): boolean {
  return registered.includes(uri) || registered.includes(withoutPort(uri) ?? uri);
}

function withoutPort(uri: string): string | undefined {
  const [, before, host, after = ""] =
    /^(http:\/\/)(127\.0\.0\.1|\[::1\]|localhost):\d{1,5}([/?].*)?$/.exec(uri) ?? [];
  return host === undefined ? undefined : `${before}${host}${after}`;
}
