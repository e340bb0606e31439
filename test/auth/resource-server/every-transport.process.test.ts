import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, type RevisionName, scopes, tool } from "allspeak";
import { bearer } from "allspeak/auth";
import { type Client, connect, httpTransport, type Target, websocketTransport } from "allspeak/client";
import { createFetchHandler } from "allspeak/http";
import { createNodeHandler, serveHttp, websocketLimits } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { revisionNames } from "../../matrix/matrix.ts";
import { readText } from "../../matrix/read-text.ts";
import { type OidcProvider, startDevIssuer, startOidcProvider } from "../../support/auth/oidc-provider.ts";

const publicUrl = "https://mcp.example.com/mcp";
const elsewhere = "https://other.example.com/mcp";

/** The authorization server in use. */
let provider: OidcProvider;

const server = createServer({
  name: "protected",
  version: "1",
  tools: [
    tool("whoami", {}, (_, { principal }) =>
      [principal?.issuer, principal?.subject, principal?.client].join(" "),
    ),
    tool("order", { access: scopes("orders:write") }, () => "ordered"),
  ],
});

/** How to reach the server with a token, or without, until the test is over. */
type Reach = (token: string | undefined, introspects?: boolean) => Promise<Target>;

function toAuth(introspects = false) {
  const introspection = { clientId: "mcp-server", clientSecret: "mcp-server-secret" };
  return bearer({ issuer: provider.issuer, ...(introspects && { introspection }) });
}

const sent = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

async function serve(introspects?: boolean): Promise<string> {
  const websocket = new WebSocketServer(websocketLimits());
  const running = await serveHttp(server, { publicUrl, auth: toAuth(introspects), websocket });
  onTestFinished(() => running.close(0));
  return running.url;
}

const reaches: Record<string, Reach> = {
  serveHttp: async (token, introspects) => httpTransport(await serve(introspects), { headers: sent(token) }),
  createNodeHandler: async (token, introspects) => {
    const handle = createNodeHandler(server, { publicUrl, auth: toAuth(introspects) });
    const http = createHttpServer(handle);
    await once(http.listen(0, "127.0.0.1"), "listening");
    onTestFinished(async () => {
      await handle.close(0);
      http.closeAllConnections();
      http.close();
    });
    return httpTransport(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, {
      headers: sent(token),
    });
  },
  createFetchHandler: async (token, introspects) => {
    const handle = createFetchHandler(server, { publicUrl, auth: toAuth(introspects) });
    onTestFinished(() => handle.close(0));
    const fetch: typeof globalThis.fetch = (input, init) => handle(new Request(input, init));
    return httpTransport("http://localhost/mcp", { fetch, headers: sent(token) });
  },
  "HTTP+SSE": async (token, introspects) =>
    httpTransport(new URL("/sse", await serve(introspects)).href, { headers: sent(token) }),
  WebSocket: async (token, introspects) =>
    websocketTransport((await serve(introspects)).replace("http:", "ws:"), {
      WebSocket,
      headers: sent(token),
    }),
};

const places = Object.keys(reaches).flatMap((entry) =>
  revisionNames
    .filter((revision) => entry !== "HTTP+SSE" || revision === "2024-11-05")
    .map((revision) => ({ entry, revision })),
);

async function open(target: Target, revision: RevisionName): Promise<Client> {
  const client = await connect(target, { revisions: [revision], hints: new Map() });
  onTestFinished(() => client.close());
  return client;
}

// Introspection of a token at oidc-provider names no subject.
describe.each([
  ["oidc-provider", startOidcProvider, (name: string) => (name === "alice" ? name : "token [\\w-]{43}")],
  ["the authorization server for development", startDevIssuer, (name: string) => name],
] as const)("behind %s", (_, start, subjectOf) => {
  beforeAll(async () => {
    provider = await start();
  });
  afterAll(() => provider.close());

  describe.each(places)("$entry in $revision", ({ entry, revision }) => {
    const reach = reaches[entry] as Reach;

    it("accepts a token, by its keys or by introspection", async () => {
      for (const name of ["alice", "opaque-alice"]) {
        const token = await provider.token(name, publicUrl);
        const client = await open(await reach(token, name !== "alice"), revision);
        expect(readText(await client.tools.call("whoami"))).toMatch(
          new RegExp(`^${provider.issuer} ${subjectOf(name)} ${name}$`),
        );
      }
    });

    it("refuses requests without a token, or with one for another server", async () => {
      const wrong = await provider.token("alice", elsewhere);
      for (const token of [undefined, wrong, `${wrong.slice(0, -8)}AAAAAAAA`, "nonsense"]) {
        await expect(open(await reach(token), revision)).rejects.toThrow(/401/);
      }
    });

    it("allows a tool to callers with its scope", async () => {
      const token = await provider.token("alice", publicUrl, { scope: "orders:read orders:write" });
      const client = await open(await reach(token), revision);
      expect((await client.tools.call("order")).content).toEqual([{ type: "text", text: "ordered" }]);
    });

    it("shows the others which scope it needs", async () => {
      const token = await provider.token("alice", publicUrl, { scope: "orders:read" });
      const client = await open(await reach(token), revision);
      expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(["whoami", "order"]);
      await expect(client.tools.call("order")).rejects.toThrow(/orders:write|403/);
      expect((await client.tools.call("whoami")).isError).not.toBe(true);
    });
  });
});
