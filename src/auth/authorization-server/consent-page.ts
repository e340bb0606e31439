import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";
import type { RegisteredClient } from "./clients/client-metadata.ts";
import { type Html, html, toHtmlPage } from "./http/html.ts";

/** What a client wants of the user. */
export interface UserConsentRequest {
  readonly client: RegisteredClient;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** Where the user goes next; undefined for a device, which waits by itself. */
  readonly redirectUri?: string;
}

export interface ConsentPageOptions {
  readonly request: UserConsentRequest;
  readonly action: string;
  readonly ticket: string;
  /** Further fields of the form. */
  readonly choices?: Html | undefined;
}

export function toConsentPage({ request: wish, action, ticket, choices }: ConsentPageOptions): string {
  const { client, redirectUri, scopes, resources } = wish;
  return toHtmlPage(
    "Allow access?",
    html`<p><strong>${toName(client)}</strong> asks for access in your name.
Anybody can choose that name; this is what is certain:</p>
<dl><dt>The client is</dt><dd>${toIdentity(client)}</dd>
${toPlace(redirectUri)}
<dt>It may use</dt><dd>${toList(resources, "this service")}</dd>
<dt>with the scopes</dt><dd>${toList(scopes, "none")}</dd></dl>
<p class="warning">Allow it only if you have just started to connect this client yourself.</p>
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">${choices ?? ""}
<button name="decision" value="deny">Deny</button><button name="decision" value="allow">Allow</button></form>`,
  );
}

/** A name may be long, or hold characters that turn the text around it. */
function toName({ client_name: name = "", client_id: id }: RegisteredClient): string {
  return (
    name
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
      .trim()
      .slice(0, 100) || id
  );
}

/** Only the host of a document is proven: who can put a document there. */
function toIdentity({ client_id: id }: RegisteredClient): Html {
  if (!/^https?:/.test(id)) return html`one that registered itself, as <code>${id}</code>`;
  return html`what <strong>${new URL(id).host}</strong> publishes at <code>${id}</code>`;
}

function toPlace(redirectUri: string | undefined): Html {
  if (redirectUri === undefined) return html`<dt>It runs on</dt><dd>a device that waits for you</dd>`;
  const { protocol, hostname } = new URL(redirectUri);
  const site = protocol === "https:" ? `the site ${hostname}` : "an application on this device";
  const place = isCanonicalLoopbackHost(hostname) ? "a program on this computer" : site;
  return html`<dt>You will be sent to</dt><dd>${place}: <code>${redirectUri}</code></dd>`;
}

function toList(items: readonly string[], none: string): Html {
  if (items.length === 0) return html`${none}`;
  return html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`;
}
