// The row on the audience of tokens, on every entry.
import { createPublicKey } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { bearer } from "allspeak/auth";
import { serveHttp, websocketLimits } from "allspeak/node";
import { CompactSign, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { openIssuer, type TokenIssuer } from "../../../support/auth/token-issuer.ts";
import { entries, open } from "../../../support/http/entries.ts";
import { exchange } from "../../../support/http/exchange.ts";
import { createFixture } from "../../../support/http/fixture.ts";
import { toNewest } from "../../../support/http/stateless-request.ts";

const publicUrl = "https://mcp.example.com/mcp";
const now = Math.floor(Date.now() / 1000);

const forgeries: Record<string, (issuer: TokenIssuer) => Promise<string>> = {
  "another audience": (issuer) => issuer.mint("https://other.example/mcp"),
  "several other audiences": (issuer) =>
    issuer.mint(undefined, { aud: ["https://a.example", "https://b.example"] }),
  "no audience": (issuer) => issuer.mint(undefined),
  "another resource": (issuer) => issuer.mint(publicUrl, { resource: "https://other.example/mcp" }),
  "no signature": async ({ url }) => new UnsecuredJWT(claimsOf(url)).encode(),
  "the public key taken for a secret": signWithPublicKey,
  "an end in the past": (issuer) => issuer.mint(publicUrl, { exp: now - 60 }),
  "a beginning in the future": (issuer) => issuer.mint(publicUrl, { nbf: now + 600 }),
  "another issuer": (issuer) => issuer.mint(publicUrl, { iss: "https://evil.example" }),
  "a key that is a path": (issuer) => signWithOwnKey(issuer, "../../../../../../dev/null"),
  "two audiences, each under the name of the claim": (issuer) => signTwoAudiences(issuer),
  "a key of its own": (issuer) => signWithOwnKey(issuer, issuer.keys[0]?.kid ?? ""),
};

function claimsOf(iss: string) {
  return { iss, sub: "mallory", aud: publicUrl, exp: now + 300 };
}

async function signWithPublicKey(issuer: TokenIssuer): Promise<string> {
  const { jwk, kid } = await issuer.rotate("RS256");
  const pem = createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
  const secret = new TextEncoder().encode(String(pem));
  return new SignJWT(claimsOf(issuer.url)).setProtectedHeader({ alg: "HS256", kid }).sign(secret);
}

/** A token that other servers read as one for another audience: parsers differ in which of two members counts. */
async function signTwoAudiences({ url, keys: [key] }: TokenIssuer): Promise<string> {
  if (key === undefined) throw new Error("The issuer has no key.");
  const claims = JSON.stringify(claimsOf(url)).replace("{", '{"\\u0061ud":"https://other.example/mcp",');
  return new CompactSign(new TextEncoder().encode(claims))
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt" })
    .sign(key.privateKey);
}

async function signWithOwnKey(issuer: TokenIssuer, kid: string): Promise<string> {
  const { privateKey } = await generateKeyPair("ES256");
  return new SignJWT(claimsOf(issuer.url)).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
}

interface Refused {
  readonly status: number | undefined;
  readonly challenge: unknown;
}

describe.each(Object.entries(forgeries))("a token with %s", (_, forge) => {
  const refused = { status: 401, challenge: expect.stringContaining('error="invalid_token"') };

  it.each(entries)("is refused on every route of $name", async (entry) => {
    const issuer = await openIssuer();
    const { server, entered } = createFixture();
    const { origin } = await open(entry, server, { publicUrl, auth: bearer({ issuer: issuer.url }) });
    const authorization = `Bearer ${await forge(issuer)}`;
    const { body, headers } = toNewest("tools/call", { name: "echo", arguments: { text: "x" } });
    for (const [method, path] of [
      ["POST", "/mcp"],
      ["GET", "/mcp"],
      ["DELETE", "/mcp"],
      ["GET", "/sse"],
      ["POST", "/messages"],
    ]) {
      const sent = { ...headers, accept: "application/json, text/event-stream", authorization };
      const answer = await exchange(`${origin}${path}`, {
        method: method as string,
        headers: sent,
        ...(method === "POST" && { body }),
      });
      const seen: Refused = { status: answer.status, challenge: answer.headers["www-authenticate"] };
      expect(seen, `${method} ${path}`).toEqual(refused);
      answer.cut();
    }
    expect(entered()).toBe(0);
  });

  it("opens no WebSocket", async () => {
    const issuer = await openIssuer();
    const websocket = new WebSocketServer(websocketLimits());
    const auth = bearer({ issuer: issuer.url });
    const running = await serveHttp(createFixture().server, { publicUrl, auth, websocket });
    onTestFinished(() => running.close(0));
    const headers = { authorization: `Bearer ${await forge(issuer)}` };
    const socket = new WebSocket(running.url.replace("http:", "ws:"), ["mcp"], { headers });
    socket.on("error", () => {});
    const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
    const seen: Refused = { status: response.statusCode, challenge: response.headers["www-authenticate"] };
    expect(seen).toEqual(refused);
    socket.terminate();
  });
});
