import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { BearerOptions } from "allspeak/auth";
import { bearer } from "allspeak/auth";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  bear,
  openProtected,
  principalIn,
  protect,
  publicUrl,
} from "../../../support/auth/protected-server.ts";
import { openIssuer } from "../../../support/auth/token-issuer.ts";

const now = () => Math.floor(Date.now() / 1000);
const introspection = { clientId: "mcp", clientSecret: "s3cret" };

interface Asked {
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A server whose issuer says this of every token. */
async function open(says: object | number, options: BearerOptions = {}) {
  const asked: Asked[] = [];
  const opened = await openProtected({ introspection, ...options });
  opened.issuer.answers.set("/introspect", (request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push({ authorization: request.headers.authorization, body: await text(request) });
    const status = typeof says === "number" ? says : 200;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(says));
    await once(response, "close");
  };
  return { ...opened, asked };
}

const good = { active: true, sub: "alice", client_id: "app", aud: publicUrl, scope: "read", exp: now() + 60 };

describe("a token that only its issuer can read", () => {
  it("is introspected once for each request, with client authentication", async () => {
    const { call, asked, issuer } = await open(good);
    const answer = await call(bear("opaque"));
    expect(principalIn(answer)).toMatchObject({
      issuer: issuer.url,
      subject: "alice",
      client: "app",
      scopes: ["read"],
    });
    await call(bear("opaque"));
    expect(asked).toHaveLength(2);
    expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from("mcp:s3cret").toString("base64")}`);
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      token: "opaque",
      token_type_hint: "access_token",
    });
    expect(issuer.asked.filter((path) => path.includes("well-known"))).toHaveLength(1);
  });

  it.each([
    ["is not active", { active: false }],
    ["is not said to be active", { ...good, active: "true" }],
    ["has no audience", { ...good, aud: undefined }],
    ["has another audience", { ...good, aud: "https://other.example" }],
    ["has expired", { ...good, exp: now() - 60 }],
    ["is of the future", { ...good, nbf: now() + 60 }],
    ["is of another issuer", { ...good, iss: "https://evil.example" }],
  ])("is refused when it %s", async (_, says) => {
    const { call, entered } = await open(says);
    const { status } = await call(bear("opaque"));
    expect([401, 503]).toContain(status);
    expect(entered()).toBe(0);
  });

  it.each([500, 401, 404])("is not blamed when the issuer answers %i", async (status) => {
    const { call, reports } = await open(status);
    const answer = await call(bear("opaque"));
    expect([answer.status, reports.length]).toEqual([503, 1]);
  });

  it("can be introspected at another endpoint", async () => {
    const { issuer } = await open(good);
    const endpoint = `${issuer.url}/introspect`;
    const other = await openIssuer();
    const { call } = protect({
      auth: bearer({ issuer: other.url, introspection: { ...introspection, endpoint } }),
    });
    expect((await call(bear("opaque"))).status).toBe(200);
    expect(other.asked).toEqual([]);
  });

  it("and is bound to a key needs a proof", async () => {
    const { call } = await open({ ...good, cnf: { jkt: "x" } });
    expect((await call(bear("opaque"))).challenge).toContain("DPoP");
  });
});

describe("a token that its issuer does not know", () => {
  it("is asked about once a minute, however often it is sent", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { call, asked } = await open({ active: false });
    for (let count = 0; count < 5; count++) expect((await call(bear("gone"))).status).toBe(401);
    expect(asked).toHaveLength(1);
    expect((await call(bear("another"))).status).toBe(401);
    expect(asked).toHaveLength(2);
    vi.setSystemTime(Date.now() + 61_000);
    expect((await call(bear("gone"))).status).toBe(401);
    expect(asked).toHaveLength(3);
  });
});

describe("a token without a subject", () => {
  it("is a principal of its own, which shares nothing with other tokens of its client", async () => {
    const { sub: _, ...nameless } = good;
    const { call } = await open(nameless);
    const [first, again, other] = [await call(bear("one")), await call(bear("one")), await call(bear("two"))];
    expect(principalIn(first)).toMatchObject({ client: "app", subject: expect.stringMatching(/^token /) });
    expect(principalIn(again)).toEqual(principalIn(first));
    expect(principalIn(other).subject).not.toBe(principalIn(first).subject);
  });

  it("is never taken for the user whose name is that of the client", async () => {
    const { sub: _, ...nameless } = good;
    const anonymous = principalIn(await (await open(nameless)).call(bear("one")));
    const named = principalIn(await (await open({ ...good, sub: "app" })).call(bear("one")));
    expect(named.subject).toBe("app");
    expect(anonymous.subject).not.toBe("app");
  });
});
