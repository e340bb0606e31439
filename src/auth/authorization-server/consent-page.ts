import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";
import { type Html, html, toHtmlPage } from "../../lib/text/html.ts";
import type { RegisteredClient } from "./clients/client-metadata.ts";

/** The request of a client that a user is asked to allow. */
export interface UserConsentRequest {
  readonly client: RegisteredClient;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** The redirect URI; undefined for a device, which polls for the decision. */
  readonly redirectUri?: string;
}

export interface ConsentPageOptions {
  readonly request: UserConsentRequest;
  readonly action: string;
  readonly ticket: string;
  /** Further fields of the form. */
  readonly choices?: Html | undefined;
}

export function toConsentPage({ request, action, ticket, choices }: ConsentPageOptions): string {
  const { client, redirectUri, scopes, resources } = request;
  return toHtmlPage(
    "Allow access?",
    html`<p><strong>${toName(client)}</strong> asks for access in your name.
The client chose that name itself. Only the following is certain:</p>
<dl><dt>The client is</dt><dd>${toClientIdentity(client, redirectUri)}</dd>
${toRedirectTarget(redirectUri)}
<dt>It may use</dt><dd>${toList(resources, "this service")}</dd>
<dt>with the scopes</dt><dd>${toList(scopes, "none")}</dd></dl>
<p class="warning">Allow it only if you have just started to connect this client yourself.</p>
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">${choices ?? ""}
<button name="decision" value="deny">Deny</button><button name="decision" value="allow">Allow</button></form>`,
  );
}

/** The client's name, shortened and without control and direction characters. */
function toName({ client_name: name = "", client_id: id }: RegisteredClient): string {
  return (
    name
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
      .trim()
      .slice(0, 100) || id
  );
}

/**
 * Shows the host of a metadata document, which is proven only where users are sent to a site: to a
 * program on this device, any other one can send the same id
 *
 * basic/authorization/security-considerations#localhost-redirect-uri-risks (2026-07-28)
 */
function toClientIdentity({ client_id: id }: RegisteredClient, redirectUri: string | undefined): Html {
  if (!/^https?:/.test(id)) return html`a client that registered itself, with the id <code>${id}</code>`;
  const isSite = redirectUri !== undefined && new URL(redirectUri).protocol === "https:";
  return isSite
    ? html`published by <strong>${new URL(id).host}</strong> at <code>${id}</code>`
    : html`a program that says it is the one published by <strong>${new URL(id).host}</strong> at <code>${id}</code>.
<span class="warning">Any program on this device can claim to be this client.</span>`;
}

function toRedirectTarget(redirectUri: string | undefined): Html {
  if (redirectUri === undefined) return html`<dt>It runs on</dt><dd>a device that waits for you</dd>`;
  const { protocol, hostname } = new URL(redirectUri);
  const site = protocol === "https:" ? `the site ${hostname}` : "an application on this device";
  const target = isCanonicalLoopbackHost(hostname) ? "a program on this computer" : site;
  return html`<dt>You will be sent to</dt><dd>${target}: <code>${redirectUri}</code></dd>`;
}

function toList(items: readonly string[], none: string): Html {
  if (items.length === 0) return html`${none}`;
  return html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`;
}
