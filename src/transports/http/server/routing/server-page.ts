import { html, toHtmlPage } from "../../../../lib/text/html.ts";
import type { HttpReply } from "../http-interface.ts";

/** No scripts, no forms, no frames, nothing from elsewhere: the page only speaks. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  vary: "Accept",
};

export interface ServerPage {
  /** The name of the server, where anybody may know it. */
  readonly name: string | undefined;
  /** The address for clients: a whole URL, or a path. */
  readonly address: string;
}

/** The page for a person who opens the address: what is there, and what to do with it. */
export function sendServerPage(reply: HttpReply, { name, address }: ServerPage): void {
  const title = name === undefined ? "An MCP server" : `${name}: an MCP server`;
  const body = html`<p>This is the address of a server of the Model Context Protocol. It talks to programs, not to browsers.</p>
<p>To use it, add <code>${address}</code> to an MCP client, as a server over HTTP.</p>`;
  reply.send(200, pageHeaders, toHtmlPage(title, body));
}
