type Headers = { readonly [name: string]: string };

/** Keeps responses out of caches and their URLs out of the `Referer` header. */
const securityHeaders: Headers = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The content security policy of pages. Without `form-action`: a form may end in a redirect to any client. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

export function jsonResponse(body: unknown, status = 200, headers: Headers = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...securityHeaders, "content-type": "application/json", ...headers },
  });
}

export function htmlResponse(html: string, status = 200, headers: Headers = {}): Response {
  return new Response(html, {
    status,
    headers: {
      ...securityHeaders,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": pagePolicy,
      "x-frame-options": "DENY",
      // With `no-referrer` browsers would send `Origin: null` with our own forms.
      "referrer-policy": "same-origin",
      ...headers,
    },
  });
}

/** A redirect with status 303, so that a browser never resubmits a form to the next URL. */
export function redirectResponse(to: string | URL): Response {
  return new Response(null, { status: 303, headers: { ...securityHeaders, location: String(to) } });
}

/** The same response with more cookies, each the value of a `Set-Cookie` header. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
