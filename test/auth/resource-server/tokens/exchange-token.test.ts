import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { createServer } from "allspeak";
import { bearer, exchangeToken } from "allspeak/auth";
import { createFetchHandler } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { bear, publicUrl } from "../../../support/auth/protected-server.ts";
import { openIssuer } from "../../../support/auth/token-issuer.ts";
import { toNewest } from "../../../support/http/stateless-request.ts";

/** An issuer that exchanges tokens, and what it was asked. */
async function open(status: number, says: object) {
  const issuer = await openIssuer();
  const asked: Record<string, string | undefined>[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Object.fromEntries(new URLSearchParams(await text(request)));
    asked.push({ authorization: request.headers.authorization, ...body });
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(says));
  };
  issuer.answers.set("/token", (request, response) => void answer(request, response));
  return { issuer, asked, own: { issuer: issuer.url, clientId: "mcp", clientSecret: "s3cret" } };
}

const fresh = { access_token: "fresh", token_type: "Bearer", expires_in: 60, scope: "orders:read" };

describe("exchanging a token", () => {
  it("gets one for a further service in the name of the caller", async () => {
    const { issuer, asked, own } = await open(200, fresh);
    const server = createServer({ name: "middle", version: "1" });
    server.tool("forward", {}, async (_, ctx) => {
      const further = { resource: "https://orders.example.com", scopes: ["orders:read"] };
      const { token, type, scopes } = await exchangeToken({ subject: ctx.principal, ...own, ...further });
      return JSON.stringify({ token, type, scopes, seen: JSON.stringify(ctx.principal) });
    });
    const handle = createFetchHandler(server, { publicUrl, auth: bearer({ issuer: issuer.url }) });
    const token = await issuer.mint(publicUrl);
    const { body, headers } = toNewest("tools/call", { name: "forward" });
    const response = await handle(
      new Request(publicUrl, {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          ...(headers as Record<string, string>),
          ...bear(token),
          host: "mcp.example.com",
          "mcp-name": "forward",
        },
      }),
    );
    const { result } = (await response.json()) as { result: { content: { text: string }[] } };
    const said = JSON.parse(result.content[0]?.text ?? "");
    await handle.close(0);

    expect(said).toMatchObject({ token: "fresh", type: "bearer", scopes: ["orders:read"] });
    expect(said.seen).not.toContain(token);
    expect(asked).toEqual([
      {
        authorization: `Basic ${Buffer.from("mcp:s3cret").toString("base64")}`,
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token: token,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
        resource: "https://orders.example.com",
        scope: "orders:read",
      },
    ]);
  });

  it("returns the expiry of the new token", async () => {
    const { own } = await open(200, fresh);
    const { expiresAt } = await exchangeToken({ subject: "token", ...own });
    expect(Math.abs((expiresAt?.getTime() ?? 0) - Date.now() - 60_000)).toBeLessThan(5_000);
  });

  it("reports a refusal, and an issuer that does not answer", async () => {
    const { own } = await open(400, { error: "invalid_target" });
    await expect(exchangeToken({ subject: "token", ...own })).rejects.toMatchObject({
      code: "authorization",
      reason: "refused",
      message: "The token exchange was refused: invalid_target.",
    });
    const broken = await open(500, {});
    await expect(exchangeToken({ subject: "token", ...broken.own })).rejects.toMatchObject({
      reason: "unreachable",
    });
    broken.issuer.answers.set("/.well-known/oauth-authorization-server", (_, response) =>
      response.writeHead(500).end(),
    );
    await expect(exchangeToken({ subject: "token", ...broken.own })).rejects.toMatchObject({
      reason: "unreachable",
    });
  });

  it("needs a caller that was authenticated by a token", async () => {
    const own = { issuer: "https://login.example.com", clientId: "mcp" };
    for (const subject of [undefined, { issuer: "a", subject: "b" }]) {
      await expect(exchangeToken({ subject, ...own })).rejects.toMatchObject({ code: "usage" });
    }
  });
});
