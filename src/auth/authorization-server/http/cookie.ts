/**
 * The cookie's name with the `__Host-` prefix, so that no sibling host and no page without TLS can set it.
 *
 * On loopback there is no TLS, and browsers refuse the prefix there.
 */
function cookieName(issuer: string, name: string): string {
  return isSecure(issuer) ? `__Host-${name}` : name;
}

/** The value of a `Set-Cookie` header; 0 seconds delete the cookie. */
export function toCookie(issuer: string, name: string, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(issuer) ? "; Secure" : "";
  return `${cookieName(issuer, name)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
}

export function readCookie(request: Request, issuer: string, name: string): string | undefined {
  const prefix = `${cookieName(issuer, name)}=`;
  const pairs =
    request.headers
      .get("cookie")
      ?.split(";")
      .map((pair) => pair.trim()) ?? [];
  const found = pairs.filter((pair) => pair.startsWith(prefix));
  // Of two cookies with one name, either may have been planted.
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined;
}

function isSecure(issuer: string): boolean {
  return issuer.startsWith("https:");
}
