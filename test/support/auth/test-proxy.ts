import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from "oauth4webapi";
import { createOAuthProxy, type OAuthProxy, type OAuthProxyOptions } from "../../../src/auth.ts";
import type { DevAuthOptions } from "../../../src/auth-dev.ts";
import { Browser, readPage } from "./browser.ts";
import { serve } from "./serve-dev-auth.ts";

export const publicUrl = "https://mcp.example";
export const resource = "https://mcp.example/mcp";
export const redirectUri = "https://client.example/callback";

const secret = "known to the proxy alone";

/** A proxy at an address of its own, and an identity provider that never asks anybody anything. */
export async function createTestProxy(
  change: Partial<OAuthProxyOptions> = {},
  changeUpstream: DevAuthOptions = {},
) {
  const url = change.publicUrl ?? publicUrl;
  const upstream = await serve({
    users: [{ subject: "alice", email: "alice@example.com" }],
    clients: [{ client_id: "proxy", client_secret: secret, redirect_uris: [`${url}/callback`] }],
    ...changeUpstream,
  });
  const proxy = await createOAuthProxy({
    publicUrl: url,
    resource,
    upstream: { issuer: upstream.issuer, clientId: "proxy", clientSecret: secret, scopes: ["email"] },
    admit: () => true,
    scopes: ["read", "write"],
    ...change,
  });
  return { upstream, proxy };
}

/** A browser that finds the proxy at its public address, and keeps all that it hears. */
export function createBrowser(proxy: OAuthProxy, heard: Response[] = []): Browser {
  const { origin } = new URL(proxy.issuer);
  return new Browser(async (request) => {
    const isProxy = new URL(request.url).origin === origin;
    const response = await (isProxy ? proxy.fetch(request) : fetch(request));
    if (isProxy) heard.push(response.clone());
    return response;
  });
}

export async function registerAt(proxy: OAuthProxy, change: object = {}): Promise<{ client_id: string }> {
  const metadata = {
    client_name: "A client",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
    ...change,
  };
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(metadata);
  const response = await proxy.fetch(
    new Request(`${proxy.issuer}/register`, { method: "POST", body, headers }),
  );
  return (await response.json()) as { client_id: string };
}

export async function askProxy(
  proxy: OAuthProxy,
  clientId: string,
  change: { readonly [name: string]: string } = {},
) {
  const verifier = generateRandomCodeVerifier();
  const url = new URL(`${proxy.issuer}/authorize`);
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: "the client's own",
    resource,
    ...change,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url, verifier };
}

/** Shows the page to the user, who agrees; where the browser is sent then. */
export async function agree(browser: Browser, url: URL): Promise<Response> {
  const page = await readPage(await browser.get(url), url.origin);
  return browser.submit(page, { decision: "allow" }, { origin: url.origin });
}

/** Logs in at the provider, up to where it sends the browser back to. */
export async function logInUpstream(browser: Browser, agreed: Response): Promise<URL> {
  const answered = await browser.get(agreed.headers.get("location") ?? "");
  return new URL(answered.headers.get("location") ?? "");
}

/** The whole way of an honest user; the address that the client is answered at. */
export async function logInThrough(browser: Browser, url: URL): Promise<URL> {
  const callback = await logInUpstream(browser, await agree(browser, url));
  const answered = await browser.get(callback);
  return new URL(answered.headers.get("location") ?? "");
}

export async function tokenFrom(proxy: OAuthProxy, form: Record<string, string>) {
  const body = new URLSearchParams(form);
  const response = await proxy.fetch(new Request(`${proxy.issuer}/token`, { method: "POST", body }));
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

export interface RedeemOptions {
  readonly clientId: string;
  readonly answer: URL;
  readonly verifier: string;
}

export function redeemAt(proxy: OAuthProxy, { clientId, answer, verifier }: RedeemOptions) {
  return tokenFrom(proxy, {
    grant_type: "authorization_code",
    client_id: clientId,
    code: answer.searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
}
