type Headers = { readonly [name: string]: string };

/** Nothing that an authorization server says may be kept, framed, or told to the next page. */
const careful: Headers = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Forms go to ourselves, and from there to where a client waits, which may be anywhere. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

export function jsonResponse(body: unknown, status = 200, headers: Headers = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...careful, "content-type": "application/json", ...headers },
  });
}

export function htmlResponse(html: string, status = 200, headers: Headers = {}): Response {
  return new Response(html, {
    status,
    headers: {
      ...careful,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": pagePolicy,
      "x-frame-options": "DENY",
      // With `no-referrer` browsers would hide from us, too, that a form was ours.
      "referrer-policy": "same-origin",
      ...headers,
    },
  });
}

/** 303, so that a browser never repeats a form, with the secrets in it, at the next address. */
export function redirectResponse(to: string | URL, cookies: readonly string[] = []): Response {
  const response = new Response(null, { status: 303, headers: { ...careful, location: String(to) } });
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
