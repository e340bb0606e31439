/**
 * The headers of every answer. Scripts and styles come from the package alone; nothing of a server that is looked at
 * can run, be sent elsewhere, or be framed. Pictures and sounds of results are data and blob URLs.
 */
export function securityHeaders(host: string): Readonly<Record<string, string>> {
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self' data: blob:",
      "media-src data: blob:",
      // Some browsers do not count WebSockets of the same host among 'self'.
      `connect-src 'self' ws://${host}`,
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join("; "),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  };
}
