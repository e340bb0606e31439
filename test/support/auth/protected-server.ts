import { createServer, scopes, tool } from "allspeak";
import { type BearerOptions, bearer } from "allspeak/auth";
import { createFetchHandler, type HttpOptions } from "allspeak/http";
import { onTestFinished } from "vitest";
import { toNewest } from "../http/stateless-request.ts";
import { openIssuer, type TokenIssuer } from "./token-issuer.ts";

export const publicUrl = "https://mcp.example.com/mcp";

export interface CallAnswer {
  readonly status: number;
  readonly challenge: string | null;
  readonly headers: Headers;
  readonly body: {
    readonly result: { readonly content: readonly { readonly text: string }[] };
    readonly error: { readonly message: string; readonly code: number };
  };
}

type Sent = Readonly<Record<string, string>>;

/** A server behind authorization, and ways to call it as somebody on the network would. */
export interface ProtectedServer {
  /** Calls a tool. */
  readonly call: (headers?: Sent, tool?: string) => Promise<CallAnswer>;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** How many handlers were entered. */
  readonly entered: () => number;
  readonly reports: unknown[];
}

export function protect(options: HttpOptions): ProtectedServer {
  let entered = 0;
  const reports: unknown[] = [];
  const whoami = tool("whoami", {}, (_, ctx) => {
    entered++;
    return JSON.stringify(ctx.principal);
  });
  const order = tool("order", { access: scopes("orders:write") }, () => {
    entered++;
    return "ordered";
  });
  const server = createServer({
    name: "protected",
    version: "1",
    tools: [whoami, order],
    log: (report) => void reports.push(report),
  });
  const handle = createFetchHandler(server, { publicUrl, ...options });
  onTestFinished(() => handle.close(0));
  const fetch = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("host", "mcp.example.com");
    return handle(new Request(new URL(path, publicUrl), { ...init, headers }));
  };
  const call = async (sent: Sent = {}, name = "whoami") => {
    const { body, headers } = toNewest("tools/call", { name });
    const all = Object.entries({ ...headers, ...sent }).filter(([, value]) => value !== undefined);
    const response = await fetch("/mcp", {
      method: "POST",
      body: JSON.stringify(body),
      headers: Object.fromEntries(all) as Record<string, string>,
    });
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate"),
      headers: response.headers,
      body: (await response.json()) as CallAnswer["body"],
    };
  };
  return { call, fetch, entered: () => entered, reports };
}

/** The same, with an issuer whose tokens are taken. */
export async function openProtected(
  options: BearerOptions = {},
): Promise<ProtectedServer & { issuer: TokenIssuer }> {
  const issuer = await openIssuer();
  return { issuer, ...protect({ auth: bearer({ issuer: issuer.url, ...options }) }) };
}

export function bear(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Whom a handler was told of. */
export function principalIn({ body }: CallAnswer): Record<string, unknown> {
  return JSON.parse(body.result.content[0]?.text ?? "null");
}

export const metadata: string =
  'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"';
