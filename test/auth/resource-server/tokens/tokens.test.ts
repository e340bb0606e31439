import { createPublicKey } from "node:crypto";
import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, it, vi } from "vitest";
import { bear, openProtected, publicUrl } from "../../../support/auth/protected-server.ts";

const now = () => Math.floor(Date.now() / 1000);

describe("keys", () => {
  it("are found by the metadata of the issuer and kept", async () => {
    const { issuer, call } = await openProtected();
    for (let time = 0; time < 3; time++) await call(bear(await issuer.mint(publicUrl)));
    expect(issuer.asked).toEqual(["/.well-known/oauth-authorization-server", "/jwks"]);
  });

  it("are found by OpenID Connect metadata where there is no other", async () => {
    const { issuer, call } = await openProtected();
    const body = JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
    issuer.answers.set("/.well-known/oauth-authorization-server", (_, response) =>
      response.writeHead(404).end(),
    );
    issuer.answers.set("/.well-known/openid-configuration", (_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(body),
    );
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(200);
  });

  it("of metadata that names another issuer are not used", async () => {
    const { issuer, call } = await openProtected();
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]) {
      const body = JSON.stringify({ issuer: "https://evil.example", jwks_uri: `${issuer.url}/jwks` });
      issuer.answers.set(path, (_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(body),
      );
    }
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(503);
    expect(issuer.asked).not.toContain("/jwks");
  });

  it("that are new are loaded, but unknown key ids do not cause a request each", async () => {
    const { issuer, call } = await openProtected();
    await call(bear(await issuer.mint(publicUrl)));
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: start + 31_000 });
    try {
      await issuer.rotate();
      expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(200);
      for (let time = 0; time < 20; time++) {
        const token = await issuer.mint(publicUrl, {}, { kid: `unknown-${time}` });
        expect((await call(bear(token))).status).toBe(401);
      }
    } finally {
      vi.useRealTimers();
    }
    expect(issuer.asked.filter((path) => path === "/jwks")).toHaveLength(2);
  });

  it("are not requested for tokens of unknown issuers", async () => {
    const { issuer, call } = await openProtected();
    for (const token of ["opaque", "a.b.c", await issuer.mint(publicUrl, { iss: "https://evil.example" })]) {
      expect((await call(bear(token))).status).toBe(401);
    }
    expect(issuer.asked).toEqual([]);
  });

  it("are requested again after the issuer was unavailable", async () => {
    const { issuer, call } = await openProtected();
    issuer.answers.set("/.well-known/oauth-authorization-server", (_, response) =>
      response.writeHead(503).end(),
    );
    issuer.answers.set("/.well-known/openid-configuration", (_, response) => response.writeHead(503).end());
    const token = await issuer.mint(publicUrl);
    for (let time = 0; time < 5; time++) expect((await call(bear(token))).status).toBe(503);
    expect(issuer.asked).toHaveLength(2);
    issuer.answers.clear();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_001 });
    try {
      expect((await call(bear(token))).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });

  it("may be given", async () => {
    const { issuer: signer } = await openProtected();
    const jwks = { keys: signer.keys.map(({ jwk }) => jwk) } as { keys: [] };
    const issuer = "https://login.example.com";
    const { call } = await openProtected({ issuer, jwks });
    expect((await call(bear(await signer.mint(publicUrl, { iss: issuer })))).status).toBe(200);
  });

  it("of several issuers are not mixed up", async () => {
    const { issuer: other } = await openProtected();
    const { issuer, call } = await openProtected({ issuers: [other.url] });
    expect((await call(bear(await other.mint(publicUrl)))).status).toBe(200);
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(200);
    expect((await call(bear(await issuer.mint(publicUrl, { iss: other.url })))).status).toBe(401);
  });
});

describe("a token", () => {
  it.each([
    ["of another audience", { aud: "https://other.example/mcp" }],
    [
      "of several other audiences",
      { aud: ["https://other.example", "https://mcp.example.com.evil.example/mcp"] },
    ],
    ["of a server on the same host", { aud: "https://mcp.example.com/other" }],
    ["of the host alone", { aud: "https://mcp.example.com" }],
    ["of no audience", { aud: undefined }],
    ["of an audience that is no text", { aud: [1, null, {}] }],
    ["of another resource", { resource: "https://other.example/mcp" }],
    ["that has expired", { exp: now() - 60 }],
    ["that never expires", { exp: undefined }],
    ["that expires by a word", { exp: "tomorrow" }],
    ["of the future", { nbf: now() + 60 }],
    ["of another issuer", { iss: "https://evil.example" }],
    ["of no issuer", { iss: undefined }],
    ["of nobody", { sub: undefined, client_id: undefined }],
  ])("%s is refused", async (_, claims) => {
    const { issuer, call, entered } = await openProtected();
    const { status, challenge } = await call(bear(await issuer.mint(publicUrl, claims)));
    expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    expect(entered()).toBe(0);
  });

  it("with several audiences is valid for each of them", async () => {
    const { issuer, call } = await openProtected();
    const aud = ["https://other.example", publicUrl];
    expect((await call(bear(await issuer.mint(publicUrl, { aud, resource: publicUrl })))).status).toBe(200);
  });

  it("may be a little too old or too young for a clock that is wrong", async () => {
    const { issuer, call } = await openProtected({ clockSkew: 30 });
    expect(
      (await call(bear(await issuer.mint(publicUrl, { exp: now() - 20, nbf: now() + 20 })))).status,
    ).toBe(200);
    expect((await call(bear(await issuer.mint(publicUrl, { exp: now() - 40 })))).status).toBe(401);
  });

  it.each(["at+jwt", "AT+JWT", "application/at+jwt", "JWT", undefined])(
    "of type %s is taken",
    async (typ) => {
      const { issuer, call } = await openProtected();
      const token = await issuer.mint(publicUrl, {}, { typ } as { typ: string });
      expect((await call(bear(token))).status).toBe(200);
    },
  );

  it.each(["logout+jwt", "dpop+jwt", "secevent+jwt"])("of type %s is not", async (typ) => {
    const { issuer, call } = await openProtected();
    expect((await call(bear(await issuer.mint(publicUrl, {}, { typ })))).status).toBe(401);
  });

  it.each(["../../etc/passwd", "https://evil.example/key", "' OR 1=1 --", "__proto__", ""])(
    "is refused with the key %j",
    async (kid) => {
      const { issuer, call } = await openProtected();
      const { privateKey } = await generateKeyPair("ES256");
      const token = await new SignJWT({ iss: issuer.url, sub: "a", aud: publicUrl, exp: now() + 60 })
        .setProtectedHeader({ alg: "ES256", kid })
        .sign(privateKey);
      expect((await call(bear(token))).status).toBe(401);
    },
  );

  it("without a signature is refused", async () => {
    const { issuer, call } = await openProtected();
    const token = new UnsecuredJWT({ iss: issuer.url, sub: "a", aud: publicUrl, exp: now() + 60 }).encode();
    for (const unsigned of [token, `${token}x`]) {
      const { status, challenge } = await call(bear(unsigned));
      expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    }
  });

  it("signed with the public key as an HMAC secret is refused", async () => {
    const { issuer, call } = await openProtected();
    const { jwk, kid } = await issuer.rotate("RS256");
    const pem = createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
    const token = await new SignJWT({ iss: issuer.url, sub: "a", aud: publicUrl, exp: now() + 60 })
      .setProtectedHeader({ alg: "HS256", kid, typ: "at+jwt" })
      .sign(new TextEncoder().encode(String(pem)));
    expect((await call(bear(token))).status).toBe(401);
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(200);
  });

  it("with an embedded key is refused", async () => {
    const { issuer, call } = await openProtected();
    const { privateKey } = await generateKeyPair("ES256");
    const token = await new SignJWT({ iss: issuer.url, sub: "a", aud: publicUrl, exp: now() + 60 })
      .setProtectedHeader({ alg: "ES256", jku: `${issuer.url}/evil`, jwk: { kty: "EC" } })
      .sign(privateKey);
    expect((await call(bear(token))).status).toBe(401);
    expect(issuer.asked).not.toContain("/evil");
  });

  it("of an algorithm that is not configured is refused", async () => {
    const { issuer, call } = await openProtected({ algorithms: ["RS256"] });
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(401);
    await issuer.rotate("RS256");
    expect((await call(bear(await issuer.mint(publicUrl)))).status).toBe(200);
  });

  it("that was changed anywhere is refused", async () => {
    const { issuer, call } = await openProtected();
    const token = await issuer.mint(publicUrl);
    const [header = "", payload = "", signature = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "bob" })).toString("base64url");
    const flipped = `${signature.slice(0, 10)}${signature[10] === "A" ? "B" : "A"}${signature.slice(11)}`;
    for (const one of [
      `${header}.${forged}.${signature}`,
      `${header}.${payload}.${flipped}`,
      `${header}.${payload}.`,
    ]) {
      expect((await call(bear(one))).status).toBe(401);
    }
  });
});
