import type { AuthorizationRequest } from "./authorization-request.ts";
import type { RegisteredClient } from "./client-metadata.ts";
import { type Html, html, toPage } from "./html.ts";
import { paths } from "./metadata.ts";
import { isLoopbackHost } from "./redirect-uri.ts";

export interface ConsentPageOptions {
  readonly request: AuthorizationRequest;
  readonly issuer: string;
  readonly ticket: string;
  /** Further fields of the form. */
  readonly choices?: Html | undefined;
}

export function toConsentPage({ request, issuer, ticket, choices }: ConsentPageOptions): string {
  const { client, redirectUri, scopes, resources } = request;
  return toPage(
    "Allow access?",
    html`<p><strong>${client.client_name ?? client.client_id}</strong> asks for access in your name.
Anybody can choose that name; this is what is certain:</p>
<dl><dt>The client is</dt><dd>${toIdentity(client)}</dd>
<dt>You will be sent to</dt><dd><code>${redirectUri}</code>${toPlace(redirectUri)}</dd>
<dt>It may use</dt><dd>${toList(resources, "this service")}</dd>
<dt>with the scopes</dt><dd>${toList(scopes, "none")}</dd></dl>
<p class="warning">Allow it only if you have just started to connect this client yourself.</p>
<form method="post" action="${new URL(issuer + paths.consent).pathname}">
<input type="hidden" name="ticket" value="${ticket}">${choices ?? ""}
<button name="decision" value="deny">Deny</button><button name="decision" value="allow">Allow</button></form>`,
  );
}

/** Only the host of a document is proven: who can put a document there. */
function toIdentity({ client_id: id }: RegisteredClient): Html {
  if (!/^https?:/.test(id)) return html`one that registered itself, as <code>${id}</code>`;
  return html`what <strong>${new URL(id).host}</strong> publishes at <code>${id}</code>`;
}

function toPlace(redirectUri: string): Html {
  const { protocol, hostname } = new URL(redirectUri);
  if (isLoopbackHost(hostname)) return html` (a program on this computer)`;
  return protocol === "https:"
    ? html` (the site <strong>${hostname}</strong>)`
    : html` (an application on this device)`;
}

function toList(items: readonly string[], none: string): Html {
  if (items.length === 0) return html`${none}`;
  return html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`;
}
