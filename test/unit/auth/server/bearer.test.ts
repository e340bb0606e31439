import { createServer, tool } from "allspeak";
import { bearer } from "allspeak/auth";
import { createFetchHandler, type HttpOptions } from "allspeak/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { toNewest } from "../../../http-server/support/newest.ts";
import { openIssuer } from "../../../support/token-issuer.ts";

const publicUrl = "https://mcp.example.com/mcp";

/** A server behind an issuer, and a way to call it. */
function protect(options: HttpOptions) {
  let entered = 0;
  const whoami = tool("whoami", {}, (_, ctx) => {
    entered++;
    return JSON.stringify(ctx.principal);
  });
  const server = createServer({ name: "protected", version: "1", tools: [whoami] });
  const handle = createFetchHandler(server, { publicUrl, ...options });
  onTestFinished(() => handle.close(0));
  const call = async (headers: Record<string, string> = {}, url = publicUrl) => {
    const { body, headers: common } = toNewest("tools/call", { name: "whoami" });
    const given = Object.entries({ host: new URL(url).host, ...common, ...headers });
    const response = await handle(
      new Request(url, {
        method: "POST",
        body: JSON.stringify(body),
        headers: given.flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as [string, string]],
        ),
      }),
    );
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate"),
      body: (await response.json()) as {
        result: { content: { text: string }[] };
        error: { message: string };
      },
    };
  };
  const get = (path: string, init?: RequestInit) =>
    handle(new Request(new URL(path, publicUrl), { headers: { host: "mcp.example.com" }, ...init }));
  return { call, get, entered: () => entered };
}

function bear(token: string) {
  return { authorization: `Bearer ${token}` };
}

async function open(options: Partial<Parameters<typeof bearer>[0]> = {}) {
  const issuer = await openIssuer();
  return { issuer, ...protect({ auth: bearer({ issuer: issuer.url, ...options }) }) };
}

const metadata = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"';

describe("bearer", () => {
  it("lets in who has a token for this server, and says who that is", async () => {
    const { issuer, call } = await open();
    const token = await issuer.mint(publicUrl, { scope: "read write", plan: "pro" });
    const { status, body } = await call(bear(token));
    expect(status).toBe(200);
    expect(JSON.parse(body.result.content[0]?.text ?? "")).toMatchObject({
      issuer: issuer.url,
      subject: "alice",
      client: "app",
      scopes: ["read", "write"],
      claims: { plan: "pro" },
    });
  });

  it("asks for a token without finding fault when there is none", async () => {
    const { call, entered } = await open({ scopes: ["read"] });
    const { status, challenge } = await call();
    expect([status, challenge]).toEqual([401, `Bearer ${metadata}, scope="read"`]);
    expect((await call({ authorization: "Basic YTpi" })).challenge).not.toContain("error");
    expect(entered()).toBe(0);
  });
});
