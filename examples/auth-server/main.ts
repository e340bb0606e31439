// A server that oidc-provider protects, and its responses to callers with and without a token:
//   node scripts/run.js examples/auth-server/main.ts
import assert from "node:assert/strict";
import { createServer, scopes, tool } from "allspeak";
import { bearer } from "allspeak/auth";
import { connect, httpTransport } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { client, startProvider } from "./provider.ts";

const server = createServer({
  name: "orders",
  version: "1.0.0",
  tools: [
    tool("list-orders", {}, (_, ctx) => `Orders of ${ctx.principal?.subject}`),
    tool("cancel-order", { access: scopes("orders:write") }, () => "Cancelled"),
  ],
});

const provider = await startProvider();
const running = await serveHttp(server, {
  auth: bearer({ issuer: provider.issuer, scopes: ["orders:read"] }),
});

/** Obtains a token for this server only. */
async function obtainToken(scope: string): Promise<string> {
  const { client_id, client_secret } = client;
  const response = await fetch(`${provider.issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials", resource: running.url, scope }),
  });
  const { access_token, error } = (await response.json()) as { access_token?: string; error?: string };
  if (access_token === undefined)
    throw new Error(`The authorization server refused the token request: ${error}.`);
  return access_token;
}

async function openWith(token: string) {
  return connect(httpTransport(running.url, { headers: { authorization: `Bearer ${token}` } }));
}

const unauthenticated = await fetch(running.url, { method: "POST" });
console.log("without a token:", unauthenticated.status, unauthenticated.headers.get("www-authenticate"));
assert.equal(unauthenticated.status, 401);

const reader = await openWith(await obtainToken("orders:read"));
const { content } = await reader.tools.call("list-orders");
console.log("with a token:", content);
assert.deepEqual(content, [{ type: "text", text: "Orders of reporter" }]);
const refusal = await reader.tools.call("cancel-order").catch((error: Error) => error);
console.log("without the scope:", String(refusal));
assert.ok(refusal instanceof Error);

const writer = await openWith(await obtainToken("orders:read orders:write"));
const cancelled = await writer.tools.call("cancel-order");
console.log("with the scope:", cancelled.content);
assert.deepEqual(cancelled.content, [{ type: "text", text: "Cancelled" }]);

await Promise.all([reader.close(), writer.close()]);
await running.close();
provider.close();
